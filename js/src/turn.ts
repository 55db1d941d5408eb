/** Waits for one turn of the event loop, so that timers and messages are handled. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
