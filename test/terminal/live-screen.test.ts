// The live view on a real terminal: it replaces itself, stays below what is printed, and leaves nothing behind.
import { describe, expect, test } from 'vitest';
import { LiveScreen } from '../../src/terminal/live-screen.ts';
import { type Line, span } from '../../src/views/live/spans.ts';
import { MemoryTerminal } from './terminal.ts';

const linesOf = (...texts: readonly string[]): readonly Line[] =>
  texts.map((text) => [span(text, 'good')]);

function scene(columns = 80, rows = 24) {
  const terminal = new MemoryTerminal(columns, rows);
  const shown = { lines: linesOf('one', 'two') };
  const screen = new LiveScreen(terminal, () => shown.lines);
  return { terminal, shown, screen };
}

describe('a frame', () => {
  test('replaces the frame before, whether it is longer or shorter', async () => {
    const { terminal, shown, screen } = scene();
    terminal.write('$ shotlist run\n');
    screen.draw();
    shown.lines = linesOf('one', 'three', 'four');
    screen.draw();
    expect(await terminal.lines()).toEqual(['$ shotlist run', 'one', 'three', 'four']);
    shown.lines = linesOf('five');
    screen.draw();
    expect(await terminal.lines()).toEqual(['$ shotlist run', 'five']);
  });

  test('that is the same is not written again', () => {
    const { terminal, screen } = scene();
    screen.draw();
    screen.draw();
    expect(terminal.writes).toBe(1);
  });

  test('at the bottom of the screen scrolls the terminal once', async () => {
    const { terminal, screen, shown } = scene(80, 5);
    for (let i = 0; i < 9; i += 1) terminal.write(`line ${i}\n`);
    screen.draw();
    shown.lines = linesOf('one', 'two', 'three');
    screen.draw();
    screen.draw();
    const before = Array.from({ length: 9 }, (_, i) => `line ${i}`);
    expect(await terminal.lines()).toEqual([...before, 'one', 'two', 'three']);
  });

  test('that is wider than the terminal takes one row', async () => {
    const { terminal, screen, shown } = scene(10, 5);
    shown.lines = linesOf('0123456789abc', 'x');
    screen.draw();
    shown.lines = linesOf('end');
    screen.draw();
    expect(await terminal.lines()).toEqual(['end']);
  });
});

test('a frame at the top of the screen replaces itself, too', async () => {
  const { terminal, screen, shown } = scene(80, 4);
  screen.draw();
  for (const text of ['three', 'four', 'five']) {
    shown.lines = linesOf(text, text, text);
    screen.draw();
  }
  expect(await terminal.lines()).toEqual(['five', 'five', 'five']);
});

test('what is printed meanwhile stands above, in its order', async () => {
  const { terminal, screen } = scene();
  screen.draw();
  screen.above(() => terminal.write('warning: first\n'));
  screen.above(() => terminal.write(`${'second '.repeat(20)}\n`));
  const lines = await terminal.lines();
  expect(lines[0]).toBe('warning: first');
  expect(lines.slice(-2)).toEqual(['one', 'two']);
  expect(lines.filter((line) => line === 'one')).toHaveLength(1);
});

describe('a terminal that changes its size', () => {
  test.each([
    [20, 24],
    [200, 50],
    [80, 10],
    [30, 12],
  ])('to %d columns and %d rows has one view', async (columns, rows) => {
    const { terminal, screen, shown } = scene();
    shown.lines = linesOf(`begin ${'━'.repeat(70)}`, 'two', 'three');
    terminal.write('before\n');
    screen.draw();
    await terminal.resize(columns, rows);
    shown.lines = linesOf('begin', 'two', 'three');
    screen.draw();
    const lines = await terminal.lines();
    expect(lines).toEqual(['before', 'begin', 'two', 'three']);
  });
});

test('at the end, the view is gone, and the terminal is as it was', async () => {
  const { terminal, screen } = scene();
  const { wraparoundMode, showCursor } = { ...terminal.modes, showCursor: true };
  terminal.write('before\n');
  screen.draw();
  screen.erase();
  expect(await terminal.lines()).toEqual(['before']);
  expect(await terminal.cursor()).toEqual([1, 0]);
  expect([terminal.modes.wraparoundMode, showCursor]).toEqual([wraparoundMode, true]);
  terminal.write('Done.\n');
  expect(await terminal.lines()).toEqual(['before', 'Done.']);
});

test('a process that ends in the middle leaves the cursor below the view, and no mode set', async () => {
  const { terminal, screen } = scene();
  screen.draw();
  expect(await terminal.cursor()).toEqual([2, 0]);
  expect(terminal.modes.wraparoundMode).toBe(true);
});

test('lines that others wrote are not erased', async () => {
  const { terminal, screen, shown } = scene();
  screen.draw();
  terminal.write('$ fg\n');
  screen.forget();
  shown.lines = linesOf('again');
  screen.draw();
  expect(await terminal.lines()).toEqual(['one', 'two', '$ fg', 'again']);
});
