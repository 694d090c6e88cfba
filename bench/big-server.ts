// A storage for one big file, in a process of its own: `node bench/big-server.ts --mb N` prints its address, takes whatever is
// PUT, sends N megabytes on GET, and serves until SIGTERM or the end of its stdin.
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { noise } from './folders.ts';

const { values } = parseArgs({ options: { mb: { type: 'string', default: '1' } } });
const piece = noise(1, 'piece', 1 << 20);

const server = createServer((request, response) => {
  if (request.method === 'PUT') request.resume().once('end', () => response.end());
  else send(response, Number(values.mb));
});
// A connection that a client keeps open for reuse does not end under it.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('bug: no port was bound');
  process.stdout.write(`${JSON.stringify({ address: `http://127.0.0.1:${bound.port}` })}\n`);
});
process.once('SIGTERM', stop);
process.stdin.once('end', stop).once('error', stop).resume();

function send(response: ServerResponse, pieces: number): void {
  const length = pieces * piece.length;
  response.writeHead(200, { 'content-length': length, 'content-type': 'video/mp4', etag: '"1"' });
  let sent = 0;
  const more = (): void => {
    while (sent < pieces) {
      sent += 1;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}

function stop(): void {
  server.close();
  server.closeAllConnections();
  process.stdin.destroy();
}
