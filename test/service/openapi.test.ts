// The OpenAPI document: valid for a public validator, and true of what is served.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { asJson, isObject, type JsonObject } from '../../src/base/json.ts';
import { tools } from '../../src/contract/tools/all.ts';
import { endpoints, endpointsOf } from '../../src/service/endpoints.ts';
import { type LocalService, startService } from '../../src/service/start.ts';
import { photo, plainly, service } from '../rig.ts';
import { sampleOf } from '../sweep.ts';
import { Client, type Request, send } from './client.ts';
import { filledInObject } from './examples.ts';

async function documentOf({ address }: LocalService): Promise<JsonObject> {
  return (await send(address, { method: 'GET', path: '/openapi.json' })).body;
}

test('is valid for a public OpenAPI validator, as version 3.1', async () => {
  const document = await documentOf(await service());
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect([valid, validator.version]).toEqual([true, '3.1']);
});

test('names every endpoint of the interface, and each is really served', async () => {
  const local = await service();
  const { paths } = await documentOf(local);
  const documented = Object.entries(isObject(paths) ? paths : {}).flatMap(([path, item]) =>
    Object.keys(isObject(item) ? item : {})
      .filter((name) => name !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented).toHaveLength(endpoints.length);
  for (const tool of tools) expect(documented).toContain(`POST /v1/${tool.name}`);
  for (const { method, path } of endpoints) {
    await ask(local, method, path.replace(':id', 'x').replace('*', 'x'));
    expect(local.requests()[`${method} ${path}`], `${method} ${path}`).toBe(1);
  }
  expect(local.requests()['unknown']).toBeUndefined();
});

test.each(['short', 'long'] as const)(
  'with --paths %s it names only what is served',
  async (paths) => {
    const local = await service({ paths });
    const document = await documentOf(local);
    const documented = Object.keys(isObject(document['paths']) ? document['paths'] : {});
    const forms = { short: '/v1/files/upload-urls', long: '/v1/files/generate-upload-urls' };
    for (const [form, path] of Object.entries(forms))
      expect(documented.includes(path), path).toBe(form === paths);
    for (const { method, path } of endpointsOf(paths))
      await ask(local, method, path.replace(':id', 'x').replace('*', 'x'));
    expect(local.requests()['unknown']).toBeUndefined();
    const others = endpoints.filter((one) =>
      endpointsOf(paths).every(({ path }) => path !== one.path),
    );
    expect(others).toHaveLength(3);
    for (const { method, path } of others) await ask(local, method, path.replace(':id', 'x'));
    expect(local.requests()['unknown']).toBe(3);
  },
);

/** A request with the key, whatever comes of it. */
async function ask(local: LocalService, method: Request['method'], path: string): Promise<void> {
  await send(local.address, { method, path, headers: { authorization: `Bearer ${local.key}` } });
}

describe('its schemas', () => {
  let local: LocalService;
  let ajv: Ajv2020;
  let document: JsonObject;
  beforeAll(async () => {
    local = await startService({ ...plainly, credits: 1_000_000 });
    document = await documentOf(local);
    ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: 'openapi', ...document });
    return local.close;
  });

  const fits = (
    path: string,
    method: string,
    part: 'requestBody' | '200',
    value: unknown,
  ): void => {
    const role = part === '200' ? 'responses/200' : part;
    const pointer = `openapi#/paths/${path.replaceAll('/', '~1')}/${method}/${role}/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: encodeURI(pointer) });
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  };

  test.each(sampleOf(tools, 3).map((tool) => [tool.name, tool] as const))(
    'take a request to %s, and its answer and record',
    async (name, tool) => {
      const client = new Client(local);
      const files = new Map([
        ['asset:image', await client.upload(await photo(3), 'png')],
        ['asset:video', await client.upload(Buffer.from('a clip'), 'mp4', 'video')],
        ['asset:audio', await client.upload(Buffer.from('a voice'), 'mp3', 'audio')],
      ]);
      const request = filledInObject(tool.examples[0] ?? {}, files);
      fits(`/v1/${name}`, 'post', 'requestBody', request);
      const created = await client.create(name, request);
      fits(`/v1/${name}`, 'post', '200', created);
      const record = await client.record(tool.record, created.id);
      fits(`/v1/${tool.record}-projects/{id}`, 'get', '200', record);
    },
  );

  test('take uploads, detections and the account', async () => {
    const client = new Client(local);
    const items = { items: [{ type: 'image', extension: 'png' }] };
    const path = '/v1/files/generate-upload-urls';
    fits(path, 'post', 'requestBody', items);
    fits(path, 'post', '200', (await client.ask('POST', path, items)).body);
    const record = await client.faces(await client.upload(await photo(1), 'png'));
    fits('/v1/files/{id}/face-detection', 'get', '200', record);
    fits('/v1/account', 'get', '200', asJson((await client.ask('GET', '/v1/account')).body));
  });
});
