// ui as a command: what it prints, what the browser sees that it opens, and when it ends.
import { chmodSync, existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { get, listenTo } from '../page-client.ts';
import { ended, envOf, photoRig, service, until } from '../rig.ts';

const pageIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\//.exec(text)?.[0] ?? '';

test('ui --open serves the page also when no browser can be opened, and says so', async () => {
  const rig = await photoRig(1);
  const child = rig.start(['ui', 'pipeline.yaml', '--open'], {
    ...{ DISPLAY: '', WAYLAND_DISPLAY: '', CI: '' },
  });
  let [text, notes] = ['', ''];
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  child.stderr?.on('data', (piece: Buffer) => {
    notes += piece.toString();
  });
  await until('it says why no browser opens', () => notes.includes('no display'));
  expect((await get(pageIn(text))).status).toBe(200);
  child.kill('SIGTERM');
  await until('the command ends', () => child.exitCode === 0);
  await expect(get(pageIn(text))).rejects.toThrow('ECONNREFUSED');
});

/** A browser that writes down the events of the page that it opens. */
const browser = `#!${process.execPath}
const { writeFileSync, renameSync } = require('node:fs');
const file = (name) => require('node:path').join(__dirname, name);
const [, , address] = process.argv;
fetch(address).then(({ url }) => fetch(url + 'events')).then(async (page) => {
  writeFileSync(file('connected'), '');
  writeFileSync(file('part'), await page.text());
  renameSync(file('part'), file('seen'));
});
`;

test.skipIf(process.platform !== 'linux')(
  'ui --open opens a page that hears of the run and of the end (other systems have another program)',
  { tags: 'long' },
  async () => {
    const [local, rig] = await Promise.all([service(), photoRig(1)]);
    await rig.run(local);
    rig.write('bin/xdg-open', browser);
    chmodSync(rig.path('bin/xdg-open'), 0o755);
    const child = rig.start(['ui', 'pipeline.yaml', '--open'], {
      ...envOf(local),
      ...{ DISPLAY: ':0', CI: '', PATH: `${rig.path('bin')}:${process.env['PATH']}` },
    });
    const over = ended(child);
    await until('the browser has connected', () => existsSync(rig.path('bin/connected')));
    child.kill('SIGINT');
    expect(await over).toMatchObject({ code: 0, stderr: '' });
    await until('the browser has seen the end', () => existsSync(rig.path('bin/seen')));
    const seen = rig.read('bin/seen');
    expect(seen).toMatch(/^event: report$/m);
    expect(seen).toMatch(/"key":"p1.png","state":"done"/);
    expect(seen).toMatch(/event: ended\n/);
    expect(seen).not.toContain(local.key);
  },
);

test('ui serves the page until it is stopped, and tells the pages', async () => {
  const rig = await photoRig(1);
  const child = rig.start(['ui', 'pipeline.yaml', '--json']);
  let text = '';
  child.stdout?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  await until('it says where the page is', () => pageIn(text) !== '');
  const address = pageIn(text);
  expect(JSON.parse(text)).toEqual({ type: 'page', address });
  const heard = listenTo(address);
  await until('the page has the report', () => heard.data !== undefined);
  child.kill('SIGINT');
  await until('the page hears of the end', () => heard.ended);
  await until('the command ends', () => child.exitCode === 0);
});
