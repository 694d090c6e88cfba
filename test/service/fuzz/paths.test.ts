// Whatever stands in a path, a query or a presigned address, nothing outside the data folder is read or written, and
// nothing inside it that was not given out.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { knownExtensions } from '../../../src/contract/api/asset.ts';
import { photo } from '../../rig.ts';
import { type Answer, addressIn, listAt, pathOf, type Request, send, textAt } from '../client.ts';
import { besiege, expectAlive, expectDecent, moneyOf, tries } from './siege.ts';
import { canary, wildPart, wildQuery } from './wild-path.ts';

const parent = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
const data = join(parent, 'data');
mkdirSync(data);
mkdirSync(join(parent, 'beside'));
writeFileSync(join(parent, canary.name), canary.text);
writeFileSync(join(parent, 'beside', canary.name), canary.text);

const siege = await besiege({ data, credits: 1_000_000_000 });
const { local, client } = siege;
const image = await client.upload(await photo(1), 'png');
const id = await client.swap(image, image);
const download = pathOf(addressIn(await client.settled('image', id)));
const [place] = await client.uploadAddresses('image', 'png');
if (place === undefined) throw new Error('no upload address came');
const upload = pathOf(place.url);

/** Every file below a folder with its content; the database, which the service writes to, by its name only. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isOwn = path.startsWith(join(data, 'service.sqlite'));
    found.set(path, entry.isFile() && !isOwn ? readFileSync(path, 'latin1') : '');
  }
  return found;
}

const authorization = `Bearer ${local.key}`;

async function ask(request: Request): Promise<Answer> {
  const answer = await send(local.address, {
    ...request,
    headers: { authorization, ...request.headers },
  });
  const about = `${request.method} ${request.path.slice(0, 300)}`;
  if (request.method === 'HEAD') expect(answer.status, about).toBeLessThan(500);
  else expectDecent(answer, about);
  expect(answer.bytes.includes(canary.text), about).toBe(false);
  return answer;
}

/** What every property of this file ends with. */
async function expectUntouched(before: ReadonlyMap<string, string>): Promise<void> {
  expect(filesIn(parent)).toEqual(before);
  await expectAlive(siege);
}

describe('no file is read, written or removed by', () => {
  const shapes: readonly (readonly [Request['method'], (part: string) => string])[] = [
    ...(['video', 'image', 'audio'] as const).flatMap((kind) => [
      ['GET', (part: string) => `/v1/${kind}-projects/${part}`] as const,
      ['DELETE', (part: string) => `/v1/${kind}-projects/${part}`] as const,
    ]),
    ['GET', (part) => `/v1/files/${part}/face-detection`],
    ['GET', (part) => `/v1/face-detection/${part}`],
    ['GET', (part) => `/v1/${part}`],
    ['POST', (part) => `/v1/${part}`],
    ['PUT', (part) => `/v1/${part}`],
    ['GET', (part) => `/${part}`],
    ['PUT', (part) => `/${part}`],
    ['DELETE', (part) => `/${part}`],
    ['GET', (part) => `/downloads/${part}`],
    ['HEAD', (part) => `/downloads/${part}`],
    ['DELETE', (part) => `/downloads/${part}`],
    ['PUT', (part) => `/uploads/${part}`],
    ['GET', (part) => `/uploads/${part}`],
    ['GET', (part) => `/downloads/outputs/${id}/${part}`],
    ['PUT', (part) => `/uploads/api-assets/${part}`],
  ];

  test('ids, keys and paths, in any spelling', async () => {
    const before = filesIn(parent);
    const signed = [new URL(download, local.address).search, new URL(upload, local.address).search];
    const query = fc.oneof(fc.constantFrom('', ...signed), wildQuery);
    const property = fc.asyncProperty(
      fc.constantFrom(...shapes),
      wildPart,
      query,
      async ([method, shape], part, search) => {
        const body = method === 'PUT' || method === 'POST' ? { body: 'mine now' } : {};
        const { status } = await ask({ method, path: `${shape(part)}${search}`, ...body });
        expect(status).toBeGreaterThanOrEqual(400);
      },
    );
    await fc.assert(property, { seed: 1, numRuns: tries(1000) });
    await expectUntouched(before);
  });

  test('a presigned address of which anything was changed', async () => {
    const before = filesIn(parent);
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(3),
      put: fc.oneof(
        wildPart,
        fc.constant(''),
        fc.constantFrom('&expires=9', '&signature=', '&account=x', '%', '='),
      ),
    });
    const asked = fc.constantFrom(
      ['GET', download] as const,
      ['HEAD', download] as const,
      ['PUT', upload] as const,
      ['PUT', download.replace('/downloads/', '/uploads/')] as const,
      ['GET', upload.replace('/uploads/', '/downloads/')] as const,
    );
    const property = fc.asyncProperty(asked, change, async ([method, path], { at, cut, put }) => {
      const start = 1 + Math.floor(at * (path.length - 1));
      const changed = path.slice(0, start) + put + path.slice(start + cut);
      fc.pre(meaningOf(changed) !== meaningOf(path));
      const body = method === 'PUT' ? { body: 'mine now' } : {};
      expect((await ask({ method, path: changed, ...body })).status).toBeGreaterThanOrEqual(400);
    });
    await fc.assert(property, { seed: 2, numRuns: tries(450) });
    await expectUntouched(before);
  });

  test('an asset path in a body', async () => {
    const before = filesIn(parent);
    const named = fc.oneof(
      wildPart,
      wildPart.map((part) => Buffer.from(part, 'latin1').toString()),
      wildPart.map((part) => `api-assets/${part}`),
      wildPart.map((part) => `${image}${part}`),
      wildPart.map((part) => `${parent}/${part}`),
      wildPart.map((part) => `file://${parent}/${part}`),
      wildPart.map((part) => `${local.address}/downloads/${part}`),
      wildPart.map(
        (part) => `${local.address}/downloads/${part}${new URL(download, local.address).search}`,
      ),
    );
    const property = fc.asyncProperty(named, async (path) => {
      const money = moneyOf(local);
      const body = JSON.stringify({ assets: { image_file_path: path } });
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', path: '/v1/photo-colorizer', headers, body } as const;
      const answer = await ask(request);
      if (answer.status >= 400) {
        expect(moneyOf(local)).toEqual(money);
        return;
      }
      // An address of the service's own that does not work, or the URL of somebody else, which is never fetched.
      const made = textAt(answer.body, 'id');
      const { error } = await client.settled('image', made);
      if (error !== null)
        expect(error).toMatchObject({ message: expect.stringContaining('no longer works') });
      expect((await client.ask('DELETE', `/v1/image-projects/${made}`)).status).toBe(204);
    });
    await fc.assert(property, { seed: 3, numRuns: tries(80) });
    expect([...filesIn(parent).keys()].filter((path) => !before.has(path))).toEqual([]);
    await expectUntouched(before);
  });
});

test('upload names hold what the service made up, whatever extension is asked for', async () => {
  const before = filesIn(parent);
  const extension = fc.oneof(
    fc.constantFrom(...knownExtensions),
    wildPart,
    wildPart.map((part) => `png${part}`),
  );
  const items = fc.array(
    fc.record({ type: fc.constantFrom('image', 'video', 'audio'), extension }),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const property = fc.asyncProperty(items, async (list) => {
    const answer = await ask({
      method: 'POST',
      path: '/v1/files/generate-upload-urls',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items: list }),
    });
    if (answer.status >= 400) return;
    const given = listAt(answer.body, 'items');
    expect(given).toHaveLength(list.length);
    for (const [index, item] of given.entries()) {
      expect(knownExtensions).toContain(list[index]?.extension);
      expect(textAt(item, 'file_path')).toMatch(/^api-assets\/[0-9a-z]+\/[0-9a-z]+\.[0-9a-z]+$/);
    }
  });
  await fc.assert(property, { seed: 4, numRuns: tries(200) });
  await expectUntouched(before);
});

test('what a query holds changes nothing about an address that is right', async () => {
  // A longer head than Node.js takes is another question.
  const query = wildQuery.filter(({ length }) => length < 10_000);
  const property = fc.asyncProperty(query, async (added) => {
    const extra = added.replace('?', '&').replaceAll(/expires|account|signature|#/g, 'x');
    expect((await ask({ method: 'GET', path: `${download}${extra}` })).status).toBe(200);
    expect((await ask({ method: 'GET', path: `/v1/account${added}` })).status).toBe(200);
  });
  await fc.assert(property, { seed: 5, numRuns: tries(100) });
  await expectAlive(siege);
});

/** The key, the end, the holder and the signature that a signed path comes to: `%61` is another spelling of `a`. */
function meaningOf(path: string): string {
  const [target = ''] = path.split('#');
  const [key = '', query = ''] = target.split(/\?(.*)/s);
  const fields = new URLSearchParams(query);
  const signed = ['expires', 'account', 'signature'].map((name) => fields.getAll(name));
  return JSON.stringify([decoded(key), signed]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
