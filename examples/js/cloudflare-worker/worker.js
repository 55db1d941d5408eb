import { SnapseekError, open } from "snapseek/search";
import snapshot from "./notes.snap";

/** The engine, shared by all requests to this isolate. */
let opening;

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    const topic = searchParams.get("topic");
    try {
      const engine = await (opening ??= open(snapshot));
      const { hits } = await engine.search(searchParams.get("q") ?? "", { limit: 5, ...(topic && { filter: { topic } }) });
      return Response.json(hits);
    } catch (error) {
      if (!(error instanceof SnapseekError)) throw error;
      return Response.json({ code: error.code, message: error.message }, { status: 400 });
    }
  },
};
