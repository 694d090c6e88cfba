// shotlist audit: compares the ledger with the service's own figures. Exit code 1: they differ.

import type { AuditFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { audit } from './audit.ts';
import { auditText } from './drift-text.ts';

export const auditCommand = (file: string, flags: AuditFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => audit(pipeline, { ...flags, ...reports }), {
    text: auditText,
    exitCode: ({ differences, jobs, credits }) =>
      differences.length > 0 || jobs !== credits.charged - credits.refunded ? 1 : 0,
  });
