// A run as people watch it on a terminal. In a pipe: the transcripts.
import { describe, expect, test } from 'vitest';
import { keys, makesTerminals, OnTerminal } from '../on-terminal.ts';
import { envOf, photoRig, type Rig, service } from '../rig.ts';
import { longTest } from '../sweep.ts';

const onTerminal = (rig: Rig, env: Readonly<Record<string, string>>): OnTerminal =>
  new OnTerminal(rig, 'run pipeline.yaml --pictures plain', env);

describe.skipIf(!makesTerminals)('on a terminal (needs script)', () => {
  test('a first line says what is read, and the next output takes it away', async () => {
    const rig = await photoRig(1, 'pipeline: [');
    const terminal = onTerminal(rig, {});
    expect(await terminal.code).toBe(2);
    expect(terminal.written).toMatch(/^[^\n]*reading pipeline\.yaml …/);
    const screen = await terminal.screen();
    expect(screen).toContain('pipeline.yaml:1:');
    expect(screen).not.toContain('reading');
  });

  test('the view is there while the run lasts, and only its summary afterwards, with colors that NO_COLOR takes away', async () => {
    const green = (text: string): string => `\u001b[32m${text}\u001b[0m`;
    const [local, rig] = [await service(), await photoRig(2)];
    const terminal = onTerminal(rig, envOf(local));
    expect(await terminal.code).toBe(0);
    expect(terminal.written).toContain('photos');
    expect(terminal.written).toMatch(/planning|asking the service/);
    expect(terminal.written).toContain(`  ${green('+')}  swap`);
    expect(terminal.written).toContain(green('Done.'));
    const screen = await terminal.screen();
    expect(screen).toContain('2 of 2 finished');
    expect(screen).not.toMatch(/[━●○]|planning/);
    const plain = onTerminal(rig, { ...envOf(local), NO_COLOR: '1' });
    await plain.code;
    expect(plain.written).toContain('Done.');
    expect(plain.written).not.toContain('\u001b');
  });

  longTest('Ctrl-C is told above the view, and leaves the terminal as it was', async () => {
    const [local, rig] = [await service({ speed: 1 }), await photoRig(2)];
    const terminal = onTerminal(rig, envOf(local));
    await terminal.says(/swap +● /);
    terminal.type(keys.ctrlC);
    expect(await terminal.code).toBe(130);
    const screen = await terminal.screen();
    expect(screen).toContain('stopping: waiting for running requests');
    expect(screen).toContain('Interrupted: ');
    expect(screen).not.toMatch(/[━●○]/);
    expect((await terminal.terminal()).modes.wraparoundMode).toBe(true);
  });
});
