// run --open and ui as commands: what they print, and when they end.
import { expect, test } from 'vitest';
import { get, listenTo } from '../page-client.ts';
import { envOf, photoPipeline, photoRig, service, until } from '../rig.ts';

const pageIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\//.exec(text)?.[0] ?? '';

/** No browser can be opened there. */
const noDisplay = { DISPLAY: '', WAYLAND_DISPLAY: '', CI: '' };

test('run --open serves a page in a process of its own until the run ends', async () => {
  // The creations wait until the page is open.
  const local = await service();
  const rig = await photoRig(2, photoPipeline);
  const { code, stdout, stderr } = await rig.command(['run', 'pipeline.yaml', '--open'], {
    ...envOf(local),
    ...noDisplay,
  });
  expect(code, stderr).toBe(0);
  const address = pageIn(stdout);
  expect(stdout).toContain(`The page of this run: ${address}`);
  expect(stderr).toContain(
    'note: no browser was opened, because there is no display. Open the address yourself.',
  );
  await expect(get(address)).rejects.toThrow('ECONNREFUSED');
});

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
