// A service that speaks the interface and says in it what a test wants: each answer can be replaced or changed.
import { type Asked, answer, serve, type TestServer } from '../service-api/server.ts';

/** What it was given, and what an honest service would answer. */
interface About {
  readonly asked: Asked;
  readonly honest: Record<string, unknown>;
}

type Say = (about: About) => unknown;

export interface Sayings {
  readonly account?: Say;
  readonly addresses?: Say;
  readonly creation?: Say;
  readonly record?: Say;
  /** Status and body of a creation's answer. */
  readonly refusal?: { readonly status: number; readonly body: unknown };
}

const expires = '2036-08-06T10:00:00Z';

/** Creations of ai-qr-code-generator and the like: no input, one download. */
export async function strangeService(sayings: Sayings = {}): Promise<TestServer> {
  let made = 0;
  const server = await serve((asked, response) => {
    const { method, path } = asked;
    const onEvent = (saying: Say | undefined, honest: Record<string, unknown>): void => {
      const said = saying === undefined ? honest : saying({ asked, honest });
      // Text is sent as it is: JSON that JSON.stringify would not write.
      if (typeof said === 'string') response.writeHead(200).end(said);
      else answer(response, 200, said);
    };
    if (path.startsWith('/files/')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(`the file ${path}`);
    } else if (path === '/v1/account')
      onEvent(sayings.account, { credits: 1000, tier: 'business' });
    else if (path === '/v1/files/upload-urls') {
      const item = { upload_url: `${server.address}/put/1`, file_path: 'api-assets/1.png' };
      onEvent(sayings.addresses, { items: [{ ...item, expires_at: expires }] });
    } else if (path.startsWith('/put/')) response.writeHead(200).end();
    else if (method === 'DELETE') response.writeHead(204).end();
    else if (method === 'POST') {
      made += 1;
      if (sayings.refusal === undefined)
        onEvent(sayings.creation, { id: `p${made}`, credits_charged: 10, frame_cost: 10 });
      else answer(response, sayings.refusal.status, sayings.refusal.body);
    } else {
      const id = decodeURIComponent(path.split('/').at(-1) ?? '');
      const url = `${server.address}/files/${encodeURIComponent(id)}.png?signature=Sig4711`;
      const honest = { id, status: 'complete', credits_charged: 10, error: null };
      onEvent(sayings.record, { ...honest, downloads: [{ url, expires_at: expires }] });
    }
  });
  return server;
}

/** What a pipeline of one creation looks like; `more` goes into its body. */
export const onePicture = `pipeline: p
output: out
steps:
  draw: { uses: ai-image-generator, with: { model: flux-schnell, resolution: 640px, image_count: 1, style: { prompt: a boat } } }
  save: { uses: download, with: { of: draw, to: "picture.png" } }
`;
