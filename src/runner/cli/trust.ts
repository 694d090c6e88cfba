// shotlist trust: lets a pipeline file send the API key to the service that the file names, or marks a folder as
// shotlist's own. Sends nothing.
import { printable } from '../../contract/base/printable.ts';
import { err } from '../../contract/base/result.ts';
import { type Adopted, adopt } from '../operations/adopt.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { type Consent, distrust, type Trusted, trust, trustedFiles } from '../operations/trust.ts';
import { answer } from './command.ts';
import { fail } from './terminal.ts';

export interface TrustFlags {
  readonly folder?: string;
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

export async function trustCommand(file: string | undefined, flags: TrustFlags): Promise<number> {
  const json = flags.json === true;
  const { folder } = flags;
  const wishes = [file, folder, flags.list].filter((wanted) => wanted !== undefined);
  if (wishes.length !== 1 || (flags.remove === true && file === undefined))
    return fail(problem('name what to trust', 'shotlist', usage), json);
  if (folder !== undefined)
    return answer(adopt(folder), json, { text: (adopted) => adoptedText(folder, adopted) });
  if (file === undefined) return answer(trustedFiles(), json, { text: listText });
  if (flags.remove === true) return answer(removed(file), json, { text: removedText });
  return answer(trust(file), json, { text: (trusted) => trustedText(file, trusted) });
}

const usage = 'shotlist trust <file>, --remove <file>, --folder <folder> or --list';

function adoptedText(folder: string, { folders }: Adopted): string {
  if (folders.length === 0) return `${printable(folder)} is shotlist's own already.`;
  return folders.map((one) => `Trusted as shotlist's own: ${printable(one)}`).join('\n');
}

function trustedText(file: string, { address, variables, store }: Trusted): string {
  const back = `To take this back: shotlist trust --remove ${printable(file)}`;
  const bucket =
    store === undefined
      ? []
      : [
          `Store: ${printable(store)}`,
          `Trusted: ${printable(file)} may now keep results there, with the AWS credentials of your environment. If the file changes, trust it again.`,
        ];
  if (address === store) return [...bucket, back].join('\n');
  const sent =
    variables.length === 0
      ? 'your API key'
      : `your API key, and the environment variables that it uses in requests (env: ${variables.join(', ')}),`;
  return [
    `Service: ${printable(address)}`,
    `Trusted: ${printable(file)} may now send ${sent} there. If the file changes, trust it again.`,
    ...bucket,
    back,
  ].join('\n');
}

function removed(file: string): ReturnType<typeof distrust> {
  const taken = distrust(file);
  if (!taken.ok || taken.value.length > 0) return taken;
  return err(problem('the file is not trusted', file, 'see shotlist trust --list'));
}

const removedText = (taken: readonly Consent[]): string =>
  taken.map(({ address }) => `No longer trusted with ${printable(address)}.`).join('\n');

const listText = (known: readonly Consent[]): string =>
  known.length === 0 ? 'No file is trusted.' : known.map(line).join('\n');

const line = ({ address, date, file }: Consent): string =>
  `${date.slice(0, 10)}  ${printable(address)}  ${printable(file)}`;
