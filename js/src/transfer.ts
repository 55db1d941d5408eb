// How much of a snapshot has been read, and how.

/** The way in which a snapshot is read: as a whole when it is opened, or piece by piece when calls need it. */
export type Load = "whole" | "ranges";

/** What an engine has read so far. `engine.transfer` returns it. */
export interface Transfer {
  /** The way in which the snapshot is read: what `open` decided, or was told. */
  readonly load: Load;
  /** The number of requests, or of reads from a file or buffer, since `open` was called. */
  readonly requests: number;
  /** The number of bytes that they brought, without headers. */
  readonly bytes: number;
  /** The number of rounds of requests in the last call that fetched something: the requests of a round run at the same time. */
  readonly rounds: number;
  /** The number of bytes of the snapshot that are in the module's memory now. */
  readonly inMemory: number;
}

/**
 * The counts of a transfer while it runs.
 *
 * @internal
 */
export class TransferCounts {
  load: Load = "whole";
  requests = 0;
  bytes = 0;
  rounds = 0;
}
