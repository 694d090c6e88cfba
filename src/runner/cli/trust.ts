// shotlist trust: lets a pipeline file send the API key to the service that it names, or says that a folder is
// shotlist's own. Sends nothing.
import { printable } from '../../contract/base/printable.ts';
import { adopt } from '../operations/adopt.ts';
import { problem } from '../operations/pipeline/problem.ts';
import { type Consent, distrust, type Trusted, trust, trustedFiles } from '../operations/trust.ts';
import { print, printJson, refuse } from './terminal.ts';

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
    return refuse(problem('say what to trust', 'shotlist', usage), json);
  if (folder !== undefined) return own(folder, json);
  if (file === undefined) return list(json);
  return flags.remove === true ? remove(file, json) : add(file, json);
}

const usage = 'shotlist trust <file>, --remove <file>, --folder <folder> or --list';

function own(folder: string, json: boolean): number {
  const adopted = adopt(folder);
  if (!adopted.ok) return refuse(adopted.error, json);
  const { folders } = adopted.value;
  if (json) printJson(adopted.value);
  else if (folders.length === 0) print(`${printable(folder)} is shotlist's own already.`);
  else for (const one of folders) print(`Trusted as shotlist's own: ${printable(one)}`);
  return 0;
}

function add(file: string, json: boolean): number {
  const trusted = trust(file);
  if (!trusted.ok) return refuse(trusted.error, json);
  if (json) printJson(trusted.value);
  else print(trustedText(file, trusted.value));
  return 0;
}

function trustedText(file: string, { address, variables }: Trusted): string {
  const sent =
    variables.length === 0
      ? 'your API key'
      : `your API key, and the environment variables that it uses in requests (env: ${variables.join(', ')}),`;
  return [
    `Service: ${printable(address)}`,
    `Trusted: ${printable(file)} may now send ${sent} there. If the file changes, trust it again.`,
    `To take this back: shotlist trust --remove ${printable(file)}`,
  ].join('\n');
}

function remove(file: string, json: boolean): number {
  const taken = distrust(file);
  if (!taken.ok) return refuse(taken.error, json);
  if (taken.value.length === 0)
    return refuse(problem('the file is not trusted', file, 'see shotlist trust --list'), json);
  if (json) printJson(taken.value);
  else
    for (const { address } of taken.value) print(`No longer trusted with ${printable(address)}.`);
  return 0;
}

function list(json: boolean): number {
  const known = trustedFiles();
  if (!known.ok) return refuse(known.error, json);
  if (json) printJson(known.value);
  else print(known.value.length === 0 ? 'No file is trusted.' : known.value.map(line).join('\n'));
  return 0;
}

const line = ({ address, date, file }: Consent): string =>
  `${date.slice(0, 10)}  ${printable(address)}  ${printable(file)}`;
