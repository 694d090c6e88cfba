// How hooks are shown to people.
import { printable } from '../../base/printable.ts';
import type { Hook } from '../../language/pipeline.ts';

/**
 * The whole hook, for a person who decides about it: every argument as JSON, so that no argument looks like two, and no
 * character hides.
 */
export const hookText = (hook: Hook): string =>
  hook.kind === 'command'
    ? `run ${hook.command.map((part) => printable(JSON.stringify(part))).join(' ')}`
    : `send the summary to ${printable(hook.address)}`;

/**
 * The hook in one word, for messages and logs: the program without its arguments, or the host of an address, because
 * arguments and paths may hold tokens.
 */
export const hookName = (hook: Hook): string =>
  printable(hook.kind === 'command' ? (hook.command[0] ?? '') : new URL(hook.address).host);
