// The web servers of a run: for events, for a monitor, for a live page.

/** An import from node:http takes 100 ms, because it loads everything that the module names, WebSocket too. */
export const { createServer } = process.getBuiltinModule('node:http');
