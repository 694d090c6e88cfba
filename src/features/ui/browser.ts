// Opens an address in the browser of the person at this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { complain } from '../../terminal/terminal.ts';

/** The program that opens an address, and its arguments. No shell reads them. */
function opener(address: string): readonly [string, ...string[]] {
  switch (process.platform) {
    case 'darwin':
      return ['open', address];
    case 'win32':
      return ['rundll32', 'url.dll,FileProtocolHandler', address];
    default:
      return ['xdg-open', address];
  }
}

/** Why no browser can show anything here; undefined if one may. */
function whyNot(): string | undefined {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if ((CI ?? '') !== '' && CI !== 'false') return 'CI is set';
  const isDesktop = process.platform === 'darwin' || process.platform === 'win32';
  const display = (DISPLAY ?? '') + (WAYLAND_DISPLAY ?? '');
  return isDesktop || display !== '' ? undefined : 'there is no display';
}

/** If no browser opens it, says why; an address was already printed. */
export async function openBrowser(address: string): Promise<void> {
  const why = whyNot() ?? (await openingProblem(address));
  if (why !== undefined)
    complain(`note: no browser was opened, because ${why}. Open the printed address yourself.`);
}

async function openingProblem(address: string): Promise<string | undefined> {
  const [program, ...args] = opener(address);
  const child = spawn(program, args, { stdio: 'ignore', detached: true, windowsHide: true });
  child.unref();
  try {
    await once(child, 'spawn');
    return undefined;
  } catch {
    return `${program} is not installed`;
  }
}
