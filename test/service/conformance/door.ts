// What the conformance tests share: the endpoints as interface.md lists them, a valid request for every tool, and what
// is often asked of the service. A service whose clock the test moves is in stage.ts.
import { expect } from 'vitest';
import { asJson, isObject, type Json, type JsonObject } from '../../../src/base/json.ts';
import type { RecordKind } from '../../../src/contract/api/project.ts';
import { toolNamed } from '../../../src/contract/tools/all.ts';
import { photo } from '../../rig.ts';
import { type Answer, type Client, send, textAt } from '../client.ts';

export const kinds: readonly (readonly [RecordKind])[] = [['video'], ['image'], ['audio']];

/** interface.md, Endpoints: every path that creates, and the kind of project that it creates. */
export const creations: readonly (readonly [string, RecordKind])[] = [
  ['ai-talking-photo', 'video'],
  ['ai-video-editor', 'video'],
  ['animation', 'video'],
  ['audio-to-video', 'video'],
  ['auto-subtitle-generator', 'video'],
  ['character-replace', 'video'],
  ['face-swap', 'video'],
  ['image-to-video', 'video'],
  ['lip-sync', 'video'],
  ['text-to-video', 'video'],
  ['video-to-video', 'video'],
  ['ai-clothes-changer', 'image'],
  ['ai-face-editor', 'image'],
  ['ai-gif-generator', 'image'],
  ['ai-headshot-generator', 'image'],
  ['ai-image-editor', 'image'],
  ['ai-image-generator', 'image'],
  ['ai-image-upscaler', 'image'],
  ['ai-meme-generator', 'image'],
  ['ai-qr-code-generator', 'image'],
  ['body-swap', 'image'],
  ['face-swap-photo', 'image'],
  ['head-swap', 'image'],
  ['image-background-remover', 'image'],
  ['photo-colorizer', 'image'],
  ['ai-voice-generator', 'audio'],
  ['ai-voice-cloner', 'audio'],
];

/** One quick tool of each kind: it renders in a few milliseconds. */
export const quickTools: readonly (readonly [RecordKind, string])[] = [
  ['video', 'character-replace'],
  ['image', 'photo-colorizer'],
  ['audio', 'ai-voice-generator'],
];

/** interface.md, Endpoints: every other method and path. */
export const otherEndpoints: readonly (readonly ['GET' | 'POST' | 'DELETE', string])[] = [
  ['POST', '/v1/files/generate-upload-urls'],
  ['GET', '/v1/files/none/face-detection'],
  ['POST', '/v1/files/face-detection'],
  ['GET', '/v1/video-projects/none'],
  ['DELETE', '/v1/video-projects/none'],
  ['GET', '/v1/image-projects/none'],
  ['DELETE', '/v1/image-projects/none'],
  ['GET', '/v1/audio-projects/none'],
  ['DELETE', '/v1/audio-projects/none'],
];

export const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

/** What is uploaded for each placeholder of an example. */
const fillings: Readonly<Record<string, readonly [Buffer, string, RecordKind]>> = {
  'asset:image': [await photo(3), 'png', 'image'],
  'asset:video': [Buffer.from('frames of a clip'), 'mp4', 'video'],
  'asset:audio': [Buffer.from('a voice'), 'mp3', 'audio'],
};

/** An example of the catalogue with `asset:image` and the like still in it. */
export function exampleOf(tool: string, number = 0): JsonObject {
  const example = toolNamed(tool)?.examples[number];
  if (example === undefined) throw new Error(`${tool} has no example ${number}`);
  return example;
}

/** A request that the tool accepts, with files that were really uploaded. */
export async function requestFor(client: Client, tool: string, number = 0): Promise<JsonObject> {
  return await filled(client, exampleOf(tool, number));
}

/** The same body with an uploaded file in place of each `asset:…`. */
export async function filled(client: Client, body: JsonObject): Promise<JsonObject> {
  let text = JSON.stringify(body);
  for (const placeholder of Object.keys(fillings))
    if (text.includes(placeholder))
      text = text.replaceAll(placeholder, await uploadedFor(client, placeholder));
  const request = asJson(JSON.parse(text));
  if (!isObject(request)) throw new Error('a request is an object');
  return request;
}

/** What each client has uploaded already. */
const uploads = new WeakMap<Client, Map<string, string>>();

async function uploadedFor(client: Client, placeholder: string): Promise<string> {
  const own = uploads.get(client) ?? new Map<string, string>();
  uploads.set(client, own);
  const before = own.get(placeholder);
  if (before !== undefined) return before;
  const file = fillings[placeholder];
  if (file === undefined) throw new Error(`nothing stands for ${placeholder}`);
  const path = await client.upload(...file);
  own.set(placeholder, path);
  return path;
}

/** The dotted paths of the asset references in an example. */
export function assetsIn(value: Json, path = ''): readonly string[] {
  if (typeof value === 'string') return value.startsWith('asset:') ? [path] : [];
  const below = (name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`);
  if (Array.isArray(value)) return value.flatMap((member, i) => assetsIn(member, below(i)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => assetsIn(member, below(name)));
}

/** What stands at a dotted path of an example: `asset:image` and the like. */
export function valueAt(value: Json | undefined, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>(
      (member, key) =>
        Array.isArray(member) ? member[Number(key)] : isObject(member) ? member[key] : undefined,
      value,
    );
}

/** The body with another value at a dotted path, `style.points.0.time_seconds`; undefined takes the field out. */
export function edited(body: JsonObject, path: string, value: Json | undefined): JsonObject {
  const changed = replaced(body, path.split('.'), value);
  if (!isObject(changed)) throw new Error(`${path} is no path into an object`);
  return changed;
}

function replaced(
  within: Json | undefined,
  [key = '', ...rest]: readonly string[],
  value: Json | undefined,
): Json {
  const below = (member: Json | undefined): Json | undefined =>
    rest.length === 0 ? value : replaced(member, rest, value);
  if (Array.isArray(within))
    return within.map((member, index) =>
      String(index) === key ? (below(member) ?? null) : member,
    );
  const members = isObject(within) ? within : {};
  const { [key]: old, ...others } = members;
  const next = below(old);
  return next === undefined ? others : { ...others, [key]: next };
}

/** The message of an answer that has this status and is `{message: string}`, nothing else. */
export function messageOf({ status, body }: Answer, expected: number): string {
  expect([status, body]).toEqual([expected, { message: expect.any(String) }]);
  return textAt(body, 'message');
}

/** Without a key: what the hub needs none for, and what is to be refused. */
export async function hub(
  { address }: { readonly address: string },
  method: 'GET' | 'POST',
  path: string,
  body?: Json,
): Promise<Answer> {
  if (body === undefined) return await send(address, { method, path });
  const headers = { 'content-type': 'application/json' };
  return await send(address, { method, path, headers, body: JSON.stringify(body) });
}

/** Uploads a picture that is none. */
export async function noPicture(client: Client): Promise<string> {
  return await client.upload(Buffer.from('no picture'), 'png');
}

export async function creditsOf(client: Client): Promise<number> {
  const { body } = await client.ask('GET', '/v1/account');
  return Number(body['credits']);
}

/** A request that ends its project in error: a file that is no picture, or an address that gives nothing. */
export async function hopeless(client: Client, kind: RecordKind): Promise<JsonObject> {
  switch (kind) {
    case 'video': {
      const body = await requestFor(client, 'character-replace');
      return edited(body, 'assets.image_file_path', await noPicture(client));
    }
    case 'image':
      return { assets: { image_file_path: await noPicture(client) } };
    case 'audio':
      return {
        assets: { audio_file_path: `${client.door.address}/downloads/outputs/none/0.mp3` },
        style: { prompt: 'Hello' },
      };
  }
}

/** The tool that `hopeless` asks for. */
export const hopelessTool: Readonly<Record<RecordKind, string>> = {
  video: 'character-replace',
  image: 'photo-colorizer',
  audio: 'ai-voice-cloner',
};
