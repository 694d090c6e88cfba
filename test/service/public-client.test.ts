// A client that nobody here wrote: the vendor's own, from npm, pointed at the local service. It checks what it sends
// and every answer against schemas of its own, and throws when one does not fit.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type vendor from 'magic-hour';
import sharp from 'sharp';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { tools } from '../../src/contract/tools/all.ts';
import type { LocalService } from '../../src/service/start.ts';
import { photo, service } from '../rig.ts';
import { Client, smallSample } from './client.ts';
import { filledInObject } from './examples.ts';

// A CommonJS module with a default export, as its types see it.
const { default: PublicClient }: { readonly default: typeof vendor.default } = createRequire(
  import.meta.url,
)('magic-hour');

type VendorClient = InstanceType<typeof vendor.default>;

const publicClient = (local: LocalService, token = local.key): VendorClient =>
  new PublicClient({ baseUrl: local.address, token });

beforeEach(() => {
  vi.stubEnv('MAGIC_HOUR_POLL_INTERVAL', '0.01');
  vi.stubEnv('MAGIC_HOUR_LOG_LEVEL', 'none');
  return () => vi.unstubAllEnvs();
});

/** A folder with a photo of a person. */
async function photoFolder(): Promise<{ readonly folder: string; readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'shotlist-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'person.jpg');
  writeFileSync(file, await smallSample(1));
  return { folder, file };
}

/** How the client names things: face-swap-photo is faceSwapPhoto, end_seconds is endSeconds. */
const camel = (name: string): string =>
  name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());

function camelled(value: Json): Json {
  if (Array.isArray(value)) return value.map(camelled);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [camel(name), camelled(member)]),
  );
}

/** Fields that this client insists on, or whose newer values it does not know yet. */
const insisted: Readonly<Record<string, JsonObject>> = {
  'ai-image-generator': { orientation: 'square' },
  // It does not send the model, and the default has no 480p.
  'image-to-video': { resolution: '720p' },
  'text-to-video': { orientation: 'landscape', resolution: '720p' },
  'ai-image-upscaler': { style: { enhancement: 'Balanced' } },
  'ai-talking-photo': { style: { generation_mode: 'pro', intensity: 1 } },
  'ai-voice-generator': { style: { prompt: 'Hello there', voice_name: 'Morgan Freeman' } },
};

interface Creator {
  create(body: Json): Promise<{ readonly id: string; readonly creditsCharged: number }>;
}

/** The part of the client that creates with this tool; undefined where it is older than the tool. */
function creatorOf(client: VendorClient, tool: string): Creator | undefined {
  const part: unknown = Reflect.get(client.v1, camel(tool));
  return isCreator(part) ? part : undefined;
}

function isCreator(value: unknown): value is Creator {
  return typeof value === 'object' && value !== null && 'create' in value;
}

describe("the vendor's own client", () => {
  test.each(['short', 'both'] as const)(
    'uploads, swaps a face, waits and downloads where a service answers to %s paths',
    async (paths) => {
      const local = await service({ paths });
      const client = publicClient(local);
      const { folder, file } = await photoFolder();
      const record = await client.v1.faceSwapPhoto.generate(
        {
          name: 'by the client',
          assets: { faceSwapMode: 'all-faces', sourceFilePath: file, targetFilePath: file },
        },
        { downloadDirectory: folder },
      );
      expect(record).toMatchObject({
        ...{ status: 'complete', creditsCharged: 10, name: 'by the client', type: 'FACE_SWAP' },
        ...{ enabled: true, imageCount: 1, error: null },
      });
      const [saved = ''] = record.downloadedPaths ?? [];
      expect((await sharp(readFileSync(saved)).metadata()).format).toBe('png');
      await client.v1.imageProjects.delete({ id: record.id });
      await expect(client.v1.imageProjects.get({ id: record.id })).rejects.toThrow(/404/);
    },
  );

  test.each(['short', 'both'] as const)(
    'detects a face and swaps just that one where a service answers to %s paths',
    async (paths) => {
      const client = publicClient(await service({ paths }));
      const { folder, file } = await photoFolder();
      const found = await client.v1.faceDetection.generate(
        { assets: { targetFilePath: file }, confidenceScore: 0.5 },
        { downloadDirectory: folder },
      );
      const [face] = found.faces;
      expect(found).toMatchObject({ status: 'complete', creditsCharged: 0 });
      const target = await client.v1.files.uploadFile(file);
      const { id } = await client.v1.faceSwapPhoto.create({
        assets: {
          faceSwapMode: 'individual-faces',
          targetFilePath: target,
          faceMappings: [{ originalFace: face?.path ?? '', newFace: target }],
        },
      });
      const record = await client.v1.imageProjects.checkResult({ id }, { downloadOutputs: false });
      expect(record.status).toBe('complete');
    },
  );

  const known = tools.filter(
    ({ name }) => creatorOf(new PublicClient({ token: 'x' }), name) !== undefined,
  );

  test('knows most of the tools', () => {
    expect(known.length).toBeGreaterThanOrEqual(20);
  });

  test.each(known.map((tool) => [tool.name, tool] as const))(
    'takes what the service answers to %s, from creation to completion',
    async (_, tool) => {
      const local = await service({ credits: 1_000_000 });
      const own = new Client(local);
      const client = publicClient(local);
      const files = new Map([
        ['asset:image', await own.upload(await photo(3), 'png')],
        ['asset:video', await own.upload(Buffer.from('frames of a clip'), 'mp4', 'video')],
        ['asset:audio', await own.upload(Buffer.from('a voice'), 'mp3', 'audio')],
      ]);
      const example = { ...tool.examples[0], ...insisted[tool.name] };
      const body = camelled(filledInObject(example, files));
      const created = await creatorOf(client, tool.name)?.create(body);
      const { id } = created ?? { id: '' };
      const projects = client.v1[`${tool.record}Projects`];
      const record = await projects.checkResult({ id }, { downloadOutputs: false });
      expect(record).toMatchObject({ id, status: 'complete', type: tool.type });
    },
  );

  test('sees what it is refused', async () => {
    const local = await service({ credits: 5 });
    const client = publicClient(local);
    const { file } = await photoFolder();
    const path = await client.v1.files.uploadFile(file);
    const body = { assets: { sourceFilePath: path, targetFilePath: path } };
    await expect(client.v1.faceSwapPhoto.create(body)).rejects.toThrow(/402/);
    await expect(publicClient(local, 'no key').v1.imageProjects.get({ id: 'x' })).rejects.toThrow(
      /401/,
    );
    const lost = { assets: { ...body.assets, targetFilePath: 'api-assets/no/no.png' } };
    await expect(client.v1.faceSwapPhoto.create(lost)).rejects.toThrow(/400/);
  });
});
