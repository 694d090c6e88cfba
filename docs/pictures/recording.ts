// Records commands as they look on a terminal of 80 columns and 24 rows: a real pseudo terminal (`script` of util-linux) runs
// them, and a terminal in memory draws what they write.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import xterm from '@xterm/headless';

export const size = { columns: 80, rows: 24 } as const;

/** How a piece of text looks. */
export interface Style {
  /** A number of the 16 colors of terminals; -1: the usual one. */
  readonly color: number;
  readonly bold: boolean;
  readonly dim: boolean;
}

/** A piece of a row: where it begins, in columns, and its text. */
export interface Piece extends Style {
  readonly at: number;
  readonly text: string;
}

export interface Frame {
  /** How long the frame is shown, in milliseconds. */
  readonly ms: number;
  readonly rows: readonly (readonly Piece[])[];
}

export interface Scene {
  /** As a person types it. */
  readonly typed: string;
  /** What is run. */
  readonly command: readonly string[];
  /** How long its last frame stays, in milliseconds. */
  readonly rest: number;
}

export interface Recording {
  /** On the screen, one below the other, when the recording begins: its first frame is all that many people see. */
  readonly opening: readonly Scene[];
  /** Typed, each on an empty screen. */
  readonly scenes: readonly Scene[];
}

const prompt = '\u001b[32m$\u001b[0m ';

/** A longer pause is cut to this, in milliseconds. */
const longestPause = 1500;
/** Screens that follow each other faster are one. */
const shortest = 90;

/** The frames of the opening and of all scenes, one after the other. `folder`: where the commands run. */
export async function record(
  { opening, scenes }: Recording,
  folder: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<readonly Frame[]> {
  const terminal = new xterm.Terminal({
    ...{ cols: size.columns, rows: size.rows, scrollback: 0, allowProposedApi: true },
  });
  const frames: Frame[] = [];
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => terminal.write(text, resolve));
  const show = (ms: number): void => void frames.push({ ms, rows: rowsOf(terminal) });
  for (const { typed, command } of opening) {
    await write(`${prompt}${typed}\r\n`);
    for (const { text } of await outputOf(command, folder, env)) await write(text);
  }
  if (opening.length > 0) show(opening.reduce((sum, { rest }) => sum + rest, 0));
  for (const { typed, command, rest } of scenes) {
    await write(`\u001b[2J\u001b[H${prompt}`);
    show(600);
    for (const part of typed.match(/.{1,4}/gs) ?? []) {
      await write(part);
      show(130);
    }
    await write('\r\n');
    for (const { text, ms } of await outputOf(command, folder, env)) {
      await write(text);
      show(Math.min(ms, longestPause));
    }
    const last = frames.pop();
    if (last !== undefined) frames.push({ ...last, ms: rest });
  }
  return merged(frames);
}

interface Written {
  readonly text: string;
  /** Until the next text, in milliseconds. */
  readonly ms: number;
}

async function outputOf(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Written[]> {
  const { CI: _ci, NO_COLOR: _color, ...others } = env;
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const line = `stty cols ${size.columns} rows ${size.rows}; exec ${quoted}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    ...{ cwd, env: { ...others, TERM: 'xterm-256color' }, stdio: ['pipe', 'pipe', 'inherit'] },
  });
  const written: { readonly text: string; readonly at: number }[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.push({ text, at: performance.now() });
  });
  await once(child, 'close');
  return written.map(({ text, at }, index) => ({
    text,
    ms: (written[index + 1]?.at ?? at) - at,
  }));
}

/** Without frames that nobody could see. */
function merged(frames: readonly Frame[]): readonly Frame[] {
  const kept: Frame[] = [];
  let owed = 0;
  for (const frame of frames) {
    const ms = frame.ms + owed;
    const last = kept.at(-1);
    if (last !== undefined && JSON.stringify(last.rows) === JSON.stringify(frame.rows)) {
      kept[kept.length - 1] = { ...last, ms: last.ms + ms };
      owed = 0;
    } else if (ms < shortest) owed = ms;
    else {
      kept.push({ ...frame, ms });
      owed = 0;
    }
  }
  return kept;
}

function rowsOf(terminal: xterm.Terminal): Frame['rows'] {
  const { active } = terminal.buffer;
  return Array.from({ length: size.rows }, (_, row) => {
    const line = active.getLine(active.baseY + row);
    return line === undefined ? [] : piecesOf(line);
  });
}

function piecesOf(line: xterm.IBufferLine): readonly Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < line.length; at += 1) {
    const cell = line.getCell(at);
    const text = cell?.getChars() ?? '';
    if (cell === undefined || text.trim() === '') continue;
    const style = {
      color: cell.isFgPalette() ? cell.getFgColor() : -1,
      ...{ bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 },
    };
    const last = pieces.at(-1);
    const gap = last === undefined ? 0 : at - last.at - last.text.length;
    const joins =
      last !== undefined &&
      gap <= 1 &&
      last.color === style.color &&
      last.bold === style.bold &&
      last.dim === style.dim;
    if (joins)
      pieces[pieces.length - 1] = { ...last, text: `${last.text}${' '.repeat(gap)}${text}` };
    else pieces.push({ ...style, at, text });
  }
  return pieces;
}
