// A request becomes files: cut-outs and swapped faces for real, and of everything else a card that shows what went in.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { fieldOf, isObject, type JsonObject } from '../base/json.ts';
import type { Region } from '../contract/api/asset.ts';
import { type Card, clockOf, drawCard } from './card.ts';
import { cutOut, hasPlainBorder } from './cut-out.ts';
import { type FaceFinder, headOf, headOver, ovalOf } from './faces.ts';
import {
  BadInput,
  type ClipFacts,
  checkFormat,
  type Layer,
  layerOf,
  type Picture,
  readClip,
  readPicture,
  sharpOf,
} from './input.ts';
import type { RenderedFile, RenderInput, RenderRequest } from './renderer.ts';
import { numberIn, promisedClip, promisedSize, type Size } from './size.ts';
import { secondsToSay, tone } from './tone.ts';
import { webm } from './webm.ts';

/** A request whose files are read. */
interface Order {
  readonly request: RenderRequest;
  /** Undefined: a picture that is not decoded here. */
  readonly pictures: ReadonlyMap<RenderInput, Picture | undefined>;
  readonly clip: ClipFacts | undefined;
  /** Of all that decides the result. */
  readonly key: string;
  readonly faces: FaceFinder;
  readonly signal: AbortSignal;
}

/** Throws `BadInput`. */
export async function render(
  request: RenderRequest,
  faces: FaceFinder,
  signal: AbortSignal,
): Promise<readonly RenderedFile[]> {
  const { tool, body, folder } = request;
  const pictures = new Map<RenderInput, Picture | undefined>();
  let clip: ClipFacts | undefined;
  for (const input of request.inputs)
    if (input.media === 'image') pictures.set(input, await readPicture(input));
    else if (input.media === 'video') clip = await readClip(input);
    else if (input.file !== undefined) await checkFormat(input, input.file);
  const order = { request, pictures, clip, key: await keyOf(request), faces, signal };
  if (tool.record === 'video') return [await filmOf(order)];
  if (tool.record === 'audio') {
    const sound = tone(secondsToSay(wordsOf(body)), 110 + (hueOf(order.key) % 220));
    await writeFile(join(folder, '0.wav'), sound);
    return [{ name: '0.wav' }];
  }
  if (tool.fileFormat !== undefined) return [await filmOf(order)];
  const files: RenderedFile[] = [];
  for (let index = 0; index < Math.min(16, numberIn(body, 'image_count') ?? 1); index += 1) {
    signal.throwIfAborted();
    const picture = await pictureOf(order, index);
    const name = `${index}.png`;
    await sharpOf(picture).png({ compressionLevel: 2 }).toFile(join(folder, name));
    files.push({ name, width: picture.width, height: picture.height });
  }
  return files;
}

/** Of the request without its name, and of its files by their content. */
export async function keyOf({ tool, body, inputs, seed }: RenderRequest): Promise<string> {
  const references = new Set<unknown>(inputs.map(({ reference }) => reference));
  const text = JSON.stringify({ ...body, name: '' }, (_, value: unknown) =>
    references.has(value) ? '' : value,
  );
  const files = await Promise.all(inputs.map(digestOf));
  return createHash('sha256')
    .update(`${tool.name} ${seed} ${text} ${files.join(' ')}`)
    .digest('hex');
}

export async function digestOf({ field, file, reference }: RenderInput): Promise<string> {
  const hash = createHash('sha256').update(`${field} ${file === undefined ? reference : ''}`);
  if (file !== undefined) for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('hex');
}

const hueOf = (key: string): number => Number.parseInt(key.slice(0, 6), 16) % 360;

async function pictureOf(order: Order, index: number): Promise<Layer> {
  const { request, pictures, faces } = order;
  const [first, second] = pictures.values();
  const card = cardOf(order, promisedSize(request, first?.full), index);
  if (first === undefined) return await drawCard(card);
  if (request.tool.name === 'image-background-remover') {
    const base = hasPlainBorder(first)
      ? { ...first, pixels: cutOut(first) }
      : await ovalOf(first, first);
    return await drawCard({ ...card, base, badges: [], ground: second });
  }
  const swaps =
    request.tool.name === 'face-swap-photo' && faces.isReal ? await swapsOf(order, first) : [];
  if (swaps.length === 0) return await drawCard(card);
  const ovals = swaps.map(async ({ head, place }) => await headOver(head, place, first));
  const base = await layerOf(sharpOf(first).composite(await Promise.all(ovals)));
  return await drawCard({ ...card, base, badges: [] });
}

/** The first picture, with the others as badges; without one, the words of the request. */
function cardOf({ request, pictures, clip, key }: Order, size: Size, index = 0): Card {
  const { tool, body } = request;
  // The face that is to be replaced is in the first picture already.
  const shown = [...pictures].filter(([{ field }]) => !field.endsWith('.original_face'));
  const [base, ...badges] = shown.map(([, picture]) => picture);
  const { name, assets: _, style, ...settings } = body;
  const words = wordsOf(body) === '' ? tool.title : wordsOf(body);
  const others = JSON.stringify(
    { ...settings, ...(isObject(style) ? style : {}) },
    (_key, value) => (value === words ? undefined : value),
  );
  // Quotes and braces say nothing to people.
  const more = others.replace(/[{}"]/g, '').replaceAll(',', ', ');
  const from = clip && `from a clip of ${clip.width} × ${clip.height}, ${clip.seconds} s`;
  // The runner names a project after the pipeline, the step and the item, and adds a token that makes the name unique.
  const item =
    typeof name === 'string' && name.replace(/ #[0-9a-z]{10}$/, '').replace(/^\S+ (?=\S+:)/, '');
  return {
    ...size,
    base,
    badges: badges.flatMap((badge) => badge ?? []),
    words,
    facts: [`${size.width} × ${size.height}`, from, more].filter(Boolean).join(' · '),
    label: [tool.name, item].filter(Boolean).join(' · '),
    hue: (hueOf(key) + index * 47) % 360,
  };
}

/** What the result is about: of a prompt, a meme, a code. */
function wordsOf(body: JsonObject): string {
  const fields = ['style.prompt', 'style.topic', 'content', 'prompt'];
  const words = fields.map((field) => fieldOf(body, field));
  return words.find((value) => typeof value === 'string') ?? '';
}

interface Swap {
  readonly place: Region;
  readonly head: Layer;
}

/** Which head comes where in the first picture. */
async function swapsOf(order: Order, target: Picture): Promise<readonly Swap[]> {
  const inputs = [...order.pictures.keys()];
  const inField = (field: string): RenderInput | undefined =>
    inputs.find((input) => input.field === field);
  const swaps: Swap[] = [];
  const add = async (places: readonly Region[], source: RenderInput | undefined): Promise<void> => {
    const head = source === undefined ? undefined : await headIn(order, source);
    if (head !== undefined) swaps.push(...places.map((place) => ({ place, head })));
  };
  const mapped = inputs.filter(({ field }) => field.endsWith('.original_face'));
  for (const { field, face } of mapped)
    if (face !== undefined) await add([face], inField(field.replace(/original_face$/, 'new_face')));
  if (mapped.length > 0) return swaps;
  const { faces = [] } = inField('assets.target_file_path') ?? {};
  const places = faces.length > 0 ? faces : await order.faces.find(target, sureFace);
  await add(places, inField('assets.source_file_path'));
  return swaps;
}

/** The default of a face detection; less is enough in a picture that was given for its face. */
const [sureFace, believedFace] = [0.5, 0.2];

/** The largest one; undefined if the picture is not decoded here. */
async function headIn(order: Order, input: RenderInput): Promise<Layer | undefined> {
  const picture = order.pictures.get(input);
  // The crop of a detected face is a head already.
  if (picture === undefined || input.face !== undefined) return picture;
  const area = ({ width, height }: Region): number => width * height;
  const all = input.faces.length > 0 ? input.faces : await order.faces.find(picture, believedFace);
  const [largest] = all.toSorted((one, other) => area(other) - area(one));
  if (largest === undefined) throw new BadInput(input, 'shows no face', 'no_source_face');
  return await headOf(picture, largest);
}

/** A tool that lets people choose the format makes a short film, in one size. */
const short = { width: 480, height: 270, seconds: 2, fps: 10 } as const;
/** How many different pictures a clip has. */
const mostPictures = 60;

/** A card with a running clock. */
async function filmOf(order: Order): Promise<RenderedFile> {
  const { request, pictures, clip, signal } = order;
  const { body, folder, tool } = request;
  const [first] = pictures.values();
  const { fileFormat } = tool;
  const isGif = fileFormat !== undefined && (fieldOf(body, fileFormat.field) ?? 'gif') === 'gif';
  const size = fileFormat === undefined ? promisedSize(request, clip ?? first?.full) : short;
  const { seconds, fps } = fileFormat === undefined ? promisedClip(body, clip?.fps) : short;
  const card = cardOf(order, { width: size.width, height: size.height });
  const still = sharpOf(
    await drawCard({ ...card, facts: `${seconds} s at ${fps} fps · ${card.facts}` }),
  );
  const count = Math.min(Math.max(1, Math.round(seconds * fps)), mostPictures);
  const frames: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    signal.throwIfAborted();
    const clock = clockOf(size, (index / count) * seconds, seconds);
    const frame = still
      .clone()
      .composite([{ input: clock }])
      .flatten();
    frames.push(await (isGif ? frame.png() : frame.webp({ quality: 70, effort: 0 })).toBuffer());
  }
  const name = isGif ? '0.gif' : '0.webm';
  const delay = frames.map(() => (seconds * 1000) / count);
  const bytes = isGif
    ? await sharp(frames, { join: { animated: true } })
        .gif({ delay, effort: 1 })
        .toBuffer()
    : webm({ ...size, fps, seconds, pictures: frames });
  await writeFile(join(folder, name), bytes);
  return { name, width: size.width, height: size.height, fps };
}
