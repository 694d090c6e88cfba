// shotlist trust: lets a pipeline file send the API key to the service that the file names, call its hooks and use its
// bucket. Sends nothing.

import { printable } from '../../base/printable.ts';
import { option, shotlistLine } from '../../base/shell.ts';
import type { TrustFlags } from '../../terminal/flags.ts';
import { answer } from '../command.ts';
import { hookText } from '../hooks/hooks.ts';
import { refuse } from '../refuse.ts';
import { type Consent, distrust, type Trusted, trust, trustedFiles } from './trust.ts';

export async function trustCommand(file: string | undefined, flags: TrustFlags): Promise<number> {
  const json = flags.json === true;
  const wishes = [file, flags.list].filter((wanted) => wanted !== undefined);
  if (wishes.length !== 1 || (flags.remove === true && file === undefined))
    refuse('name what to trust', usage);
  if (file === undefined) return answer(trustedFiles(), json, { text: listText });
  if (flags.remove === true) return answer(removed(file), json, { text: removedText });
  return answer(trust(file), json, { text: (trusted) => trustedText(file, trusted) });
}

const usage = 'shotlist trust <file>, --remove <file> or --list';

function trustedText(file: string, trusted: Trusted): string {
  const { address, onFinish, onDoubt, store } = trusted;
  const may = [
    ...(address === undefined ? [] : [`send ${sentText(trusted)} to this service`]),
    ...(onFinish === undefined && onDoubt === undefined
      ? []
      : ['call these hooks, with your rights, after each run']),
    ...(store === undefined ? [] : ['keep results in this bucket, with your AWS credentials']),
  ];
  return [
    ...(address === undefined ? [] : [`Service: ${printable(address)}`]),
    ...(onFinish === undefined ? [] : [`on_finish: ${hookText(onFinish)}`]),
    ...(onDoubt === undefined ? [] : [`on_doubt: ${hookText(onDoubt)}`]),
    ...(store === undefined ? [] : [`Bucket: ${printable(store)}`]),
    `Trusted: ${printable(file)} may now ${may.join('; ')}. If the file changes, trust it again.`,
    `To take this back: ${shotlistLine('trust', [], option('--remove', file))}`,
  ].join('\n');
}

const sentText = ({ variables }: Trusted): string =>
  variables.length === 0
    ? 'your API key'
    : `your API key, and the environment variables that it uses in requests (env: ${variables.join(', ')}),`;

function removed(file: string): readonly Consent[] {
  const taken = distrust(file);
  if (taken.length > 0) return taken;
  refuse('the file is not trusted', 'see shotlist trust --list', file);
}

const removedText = (taken: readonly Consent[]): string =>
  taken.map((consent) => `No longer trusted with ${grantsText(consent)}.`).join('\n');

const listText = (known: readonly Consent[]): string =>
  known.length === 0 ? 'No file is trusted.' : known.map(line).join('\n');

const line = (consent: Consent): string =>
  `${consent.date.slice(0, 10)}  ${grantsText(consent)}  ${printable(consent.file)}`;

const grantsText = ({ address, grants }: Consent): string =>
  [
    ...(address === undefined ? [] : [printable(address)]),
    ...(grants.includes('hooks') ? ['its hooks'] : []),
    ...(grants.includes('store') ? ['its bucket'] : []),
  ].join(', ');
