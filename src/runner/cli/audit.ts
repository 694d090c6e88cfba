// shotlist audit: compares the ledger with the service's own figures. Exit code 1: they differ.
import { audit } from '../operations/audit.ts';
import { auditText } from '../report/drift-text.ts';
import { command } from './command.ts';
import type { AuditFlags } from './flags.ts';

export const auditCommand = (file: string, flags: AuditFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => audit(pipeline, { ...flags, ...reports }), {
    text: auditText,
    exitCode: ({ differences, jobs, credits }) =>
      differences.length > 0 || jobs !== credits.charged - credits.refunded ? 1 : 0,
  });
