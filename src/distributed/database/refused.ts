// The database answers, and does not let this process in, or not do what it asks for: a matter for a person.
import { systemCode } from '../../base/system-error.ts';

/** `hint`: what a person can do. */
export class DatabaseRefused extends Error {
  /** Of the server or of the connection, where there is one. */
  readonly code: string;
  readonly hint: string;

  constructor(message: string, hint: string, cause: unknown) {
    super(message, { cause });
    this.code = systemCode(cause) ?? 'DATABASE_REFUSED';
    this.hint = hint;
  }
}

/** Undefined for an error of another kind. */
export function asRefused(error: Error): DatabaseRefused | undefined {
  const hint = hintFor(error);
  return hint === undefined ? undefined : new DatabaseRefused(error.message, hint, error);
}

const role = 'the address must name a role that may use the database';
const encrypt = 'the server wants TLS: add ?sslmode=verify-full to the address';
const password = 'set PGPASSWORD, or use a password file (PGPASSFILE)';

function hintFor(error: Error): string | undefined {
  const code = systemCode(error);
  if (code === '28000' && error.message.endsWith('no encryption')) return encrypt;
  if (code !== undefined)
    return hints.get(code) ?? (isOfCertificate(code) ? ofCertificate : undefined);
  if (error.message.includes('does not support SSL'))
    return 'switch TLS on at the server, or use another sslmode in the address';
  return error.message.startsWith('SASL') ? password : undefined;
}

const noTables = 'make them: shotlist engine migrate --engine <address>';

const hints: ReadonlyMap<string, string> = new Map([
  ['28000', role],
  ['28P01', `check the role in the address and its password: ${password}`],
  ['3D000', 'make the database first: createdb'],
  // The tables, or their schema, were dropped meanwhile.
  ['3F000', noTables],
  ['42P01', noTables],
  ['42501', 'grant the role what it needs: docs/engine.md, "Roles with least rights"'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'write the host into the address as the certificate names it'],
]);

const isOfCertificate = (code: string): boolean => /CERT|VERIFY_LEAF|^ERR_TLS_/.test(code);
const ofCertificate =
  'the certificate of the server was not accepted: name its authority with sslrootcert=<file> in the address';
