// Both kinds of stores keep the same promises; a bucket is a real S3-compatible server.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Digest, digestOfBytes } from '../../src/base/digest.ts';
import type { LocalFile, OutputStore } from '../../src/core/ports.ts';
import { bucketAccess } from '../../src/service-api/bucket-access.ts';
import { FolderStore } from '../../src/stores/folder.ts';
import { BucketStore } from '../../src/stores/s3.ts';
import { type Bucket, openBucket } from '../../torture/bucket.ts';

const id = '0123456789abcdef';

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Scene {
  readonly folder: string;
  readonly store: OutputStore;
  readonly cut: AbortController;
}

function folderScene(): Scene {
  const folder = folderOfTest();
  const cut = new AbortController();
  const store = new FolderStore({ id, folder: join(folder, 'store'), cut: cut.signal });
  return { folder, store, cut };
}

async function bucketScene(
  more: Readonly<Record<string, string>> = {},
): Promise<Scene & { readonly bucket: Bucket }> {
  const bucket = await openBucket();
  onTestFinished(() => bucket.close());
  const access = bucketAccess('shots', { ...bucket.env, ...more });
  if (!access.ok) throw new Error(access.error.message);
  const cut = new AbortController();
  const given = { id, name: bucket.store, prefix: 'kept/', access: access.value };
  const store = new BucketStore({ ...given, cut: cut.signal });
  onTestFinished(() => store.close());
  return { folder: folderOfTest(), store, cut, bucket };
}

interface Content {
  readonly file: LocalFile;
  readonly digest: Digest;
  readonly bytes: number;
}

function written(folder: string, bytes: number, name = 'photo.png'): Content {
  const content = Buffer.alloc(bytes, createHash('sha512').update(name).digest());
  const path = join(folder, name);
  writeFileSync(path, content);
  return { file: { path }, digest: digestOfBytes(content), bytes };
}

const large = 3_000_000;

describe.each([
  ['a folder', async (): Promise<Scene> => folderScene()],
  ['a bucket', async (): Promise<Scene> => await bucketScene()],
])('%s', (_, open) => {
  test.each([0, 1, large])('gives back %i bytes by their hash', async (size) => {
    const { folder, store } = await open();
    const { file, digest, bytes } = written(folder, size);
    expect(await store.check()).toEqual({ ok: true });
    expect(await store.has(digest, bytes)).toEqual({ ok: true, value: false });
    expect(await store.put(file, digest, bytes)).toEqual({ ok: true });
    expect(await store.has(digest, bytes)).toEqual({ ok: true, value: true });
    expect(await store.has(digest, bytes + 1)).toEqual({ ok: true, value: false });
    const into = { path: join(folder, 'fetched.part') };
    expect(await store.get(digest, bytes, into)).toEqual({ ok: true });
    expect(readFileSync(into.path).equals(readFileSync(file.path))).toBe(true);
  });

  test('says that it does not have a file, and leaves nothing', async () => {
    const { folder, store } = await open();
    const into = { path: join(folder, 'fetched.part') };
    const got = await store.get(digestOfBytes('nobody stored this'), 18, into);
    expect(got).toMatchObject({ ok: false, error: { reason: 'missing' } });
    expect(existsSync(into.path)).toBe(false);
  });

  test('takes no file that is not what its hash says', async () => {
    const { folder, store } = await open();
    const { file, bytes } = written(folder, large);
    const digest = digestOfBytes('something else');
    const put = await store.put(file, digest, bytes);
    expect(put).toMatchObject({ ok: false, error: { reason: 'damaged' } });
    expect(await store.has(digest, bytes)).toEqual({ ok: true, value: false });
  });

  test('a file that cannot be read is a problem of this machine', async () => {
    const { folder, store } = await open();
    const put = await store.put({ path: join(folder, 'none') }, digestOfBytes('none'), 4);
    expect(put).toMatchObject({ ok: false, error: { reason: 'local' } });
  });

  test('a transfer ends when the run cuts it', async () => {
    const { folder, store, cut } = await open();
    const { file, digest, bytes } = written(folder, large);
    cut.abort();
    const put = await store.put(file, digest, bytes);
    expect(put).toMatchObject({ ok: false, error: { reason: 'aborted' } });
  });
});

describe('a folder', () => {
  test('has each file under its hash, and nothing else', async () => {
    const { folder, store } = folderScene();
    const { file, digest, bytes } = written(folder, large);
    await Promise.all([store.put(file, digest, bytes), store.put(file, digest, bytes)]);
    const below = readdirSync(join(folder, 'store'), { recursive: true }).sort();
    expect(below).toEqual([digest.slice(0, 2), join(digest.slice(0, 2), digest)]);
  });

  test('does not hand out bytes that have changed', async () => {
    const { folder, store } = folderScene();
    const { file, digest, bytes } = written(folder, 100);
    await store.put(file, digest, bytes);
    writeFileSync(join(folder, 'store', digest.slice(0, 2), digest), Buffer.alloc(100, 1));
    const into = { path: join(folder, 'fetched.part') };
    const got = await store.get(digest, bytes, into);
    expect(got).toMatchObject({ ok: false, error: { reason: 'damaged' } });
    expect(existsSync(into.path)).toBe(false);
  });

  test('replaces a torn file', async () => {
    const { folder, store } = folderScene();
    const { file, digest, bytes } = written(folder, 100);
    mkdirSync(join(folder, 'store', digest.slice(0, 2)), { recursive: true });
    writeFileSync(join(folder, 'store', digest.slice(0, 2), digest), 'torn');
    expect(await store.put(file, digest, bytes)).toEqual({ ok: true });
    expect(await store.has(digest, bytes)).toEqual({ ok: true, value: true });
  });

  test('writes nothing through a link that leads out of it', async () => {
    const { folder, store } = folderScene();
    const { file, digest, bytes } = written(folder, 100);
    mkdirSync(join(folder, 'store'));
    mkdirSync(join(folder, 'private'));
    symlinkSync(join(folder, 'private'), join(folder, 'store', digest.slice(0, 2)));
    expect(await store.put(file, digest, bytes)).toMatchObject({ ok: false });
    expect(readdirSync(join(folder, 'private'))).toEqual([]);
  });
});

describe('a bucket', () => {
  test('is not sent a file that it has', async () => {
    const { folder, store, bucket } = await bucketScene();
    const { file, digest, bytes } = written(folder, 100);
    await store.put(file, digest, bytes);
    await store.put(file, digest, bytes);
    expect(bucket.asked.map(({ method }) => method)).toEqual(['HEAD', 'PUT', 'HEAD']);
    expect(bucket.asked[1]?.path).toBe(`shots/kept/${digest.slice(0, 2)}/${digest}`);
  });

  test.each([
    ['is busy', { is: 'status', status: 503 }, 'unavailable'],
    ['asks to slow down', { is: 'status', status: 429 }, 'unavailable'],
    ['ends the connection in the middle', { is: 'cut-request', after: 500_000 }, 'unavailable'],
    ['refuses', { is: 'status', status: 403 }, 'refused'],
  ] as const)('that %s while a file is put has nothing afterwards', async (_, fault, reason) => {
    const { folder, store, bucket } = await bucketScene();
    const { file, digest, bytes } = written(folder, large);
    bucket.fail((method) => (method === 'PUT' ? fault : undefined));
    const put = await store.put(file, digest, bytes);
    expect(put).toMatchObject({ ok: false, error: { reason } });
    bucket.fail(() => undefined);
    expect(await store.has(digest, bytes)).toEqual({ ok: true, value: false });
    expect(await store.put(file, digest, bytes)).toEqual({ ok: true });
  });

  test.each([
    ['is busy', { is: 'status', status: 503 }, 'unavailable'],
    ['ends the connection in the middle', { is: 'cut-answer', after: 500_000 }, 'unavailable'],
    ['sends other bytes', { is: 'flip' }, 'damaged'],
  ] as const)('that %s while a file is fetched leaves no file', async (_, fault, reason) => {
    const { folder, store, bucket } = await bucketScene();
    const { file, digest, bytes } = written(folder, large);
    await store.put(file, digest, bytes);
    bucket.fail((method) => (method === 'GET' ? fault : undefined));
    const into = { path: join(folder, 'fetched.part') };
    const got = await store.get(digest, bytes, into);
    expect(got).toMatchObject({ ok: false, error: { reason } });
    expect(existsSync(into.path)).toBe(false);
  });

  test('with other credentials is refused, with a reason and without a secret', async () => {
    const { store } = await bucketScene({ AWS_SECRET_ACCESS_KEY: 'another-secret-0123456789' });
    const checked = await store.check();
    expect(checked).toMatchObject({
      error: { reason: 'refused', message: expect.stringContaining('SignatureDoesNotMatch') },
    });
    expect(JSON.stringify(checked)).not.toMatch(/AKIA|another-secret/);
  });

  test('that nobody answers for may be there later', async () => {
    const { store, bucket } = await bucketScene();
    await bucket.close();
    expect(await store.check()).toMatchObject({ error: { reason: 'unavailable' } });
  });
});
