// The address of an engine: a Postgres database. A password in it would be visible in the list of processes.
import { digestOfBytes } from '../base/digest.ts';
import { scrubbed } from '../base/scrub.ts';
import { type Problem, problem, Refusal } from '../language/load/refusal.ts';

export interface EngineAddress {
  readonly url: string;
  /** For people. */
  readonly shown: string;
  /** Names the database in a state file: the first 16 digits of the SHA-256 of its host, port and name. */
  readonly digest: string;
}

const example = 'such as postgres://shotlist@db.example:5432/shotlist';

export function engineAddress(text: string): EngineAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Refusal(
      refused(`--engine ${text.slice(0, 200)} is not the address of a Postgres database`),
    );
  if (url.password !== '' || url.searchParams.has('password')) {
    const hint =
      'other users of this machine can read it in the list of processes: set PGPASSWORD, or use a password file (PGPASSFILE)';
    throw new Refusal(problem('--engine: the address has a password in it', 'shotlist', hint));
  }
  const name = decodeURIComponent(url.pathname.slice(1));
  if (name === '') throw new Refusal(refused('--engine: the address names no database'));
  const host = url.hostname === '' ? (url.searchParams.get('host') ?? 'localhost') : url.hostname;
  const place = `${host}:${url.port === '' ? '5432' : url.port}/${name}`;
  return {
    url: text,
    shown: scrubbed(place),
    digest: digestOfBytes(place).slice(0, 16),
  };
}

const refused = (message: string): Problem =>
  problem(scrubbed(message), 'shotlist', `write an address ${example}`);
