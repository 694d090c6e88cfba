// run --open and ui as commands: what they print, and when they end.
import { chmodSync, existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { get, listenTo } from '../page-client.ts';
import { envOf, photoRig, service, until } from '../rig.ts';

const pageIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\//.exec(text)?.[0] ?? '';

/** No browser can be opened there. */
const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '', CI: '' };

test('run --open says where the page is, also when nothing is left to do and no browser can be opened', async () => {
  const [local, rig] = await Promise.all([service(), photoRig(1)]);
  await rig.run(local);
  const { code, stdout, stderr } = await rig.command(['run', 'pipeline.yaml', '--open'], {
    ...envOf(local),
    ...noDisplay,
  });
  expect(code, stderr).toBe(0);
  expect(pageIn(stdout)).not.toBe('');
  await expect(get(pageIn(stdout))).rejects.toThrow('ECONNREFUSED');
});

/** A browser that writes down the events of the page that it opens. */
const browser = `#!${process.execPath}
const [, , address] = process.argv;
fetch(address).then(({ url }) => fetch(url + 'events')).then((page) => page.text()).then((text) => {
  require('node:fs').writeFileSync(require('node:path').join(__dirname, 'seen'), text);
});
`;

test.skipIf(process.platform !== 'linux')(
  'run --open opens a page that hears of the end of the run (other systems have another program)',
  { tags: 'long' },
  async () => {
    const [local, rig] = await Promise.all([service(), photoRig(1)]);
    rig.write('bin/xdg-open', browser);
    chmodSync(rig.path('bin/xdg-open'), 0o755);
    const { code, stderr } = await rig.command(['run', 'pipeline.yaml', '--open'], {
      ...envOf(local),
      ...{ DISPLAY: ':0', CI: '', PATH: `${rig.path('bin')}:${process.env['PATH']}` },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const isSeen = (): boolean => existsSync(rig.path('bin/seen')) && rig.read('bin/seen') !== '';
    await until('the browser has seen the end', isSeen);
    const seen = rig.read('bin/seen');
    expect(seen).toMatch(/^event: report$/m);
    expect(seen).toMatch(/"key":"p1.png","state":"done"/);
    expect(seen).toMatch(/event: ended\ndata: "run"\n/);
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
  await until('the page hears of the end', () => heard.ended === 'stopped');
  await until('the command ends', () => child.exitCode === 0);
});
