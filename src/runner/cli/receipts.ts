// shotlist receipts: what this user has paid for, whatever becomes of the state files.

import { printable } from '../../contract/base/printable.ts';
import { problem } from '../operations/pipeline/problem.ts';
import {
  exportReceipts,
  type ForgottenReceipts,
  forgetReceipts,
  importReceipts,
  receipts,
} from '../operations/receipts.ts';
import { forgettableText, importedText, receiptsText } from '../report/receipts-text.ts';
import { count } from '../report/text.ts';
import { answer } from './command.ts';
import type { ReceiptsFlags } from './flags.ts';
import { canAsk, isYes } from './question.ts';
import { caution, fail, print } from './terminal.ts';

export async function receiptsCommand(flags: ReceiptsFlags): Promise<number> {
  const { export: exported, import: imported, before, forget = false, json = false } = flags;
  const { pipeline, rehearse, limit } = flags;
  const options = { pipeline, rehearse, onWarning: caution };
  if (forget !== (before !== undefined))
    return fail(problem('--forget and --before <date> belong together'), json);
  if (flags.yes === true && !forget) return fail(problem('--yes belongs to --forget'), json);
  if (before !== undefined) return await forgetting({ ...options, before }, flags);
  if (exported !== undefined)
    return answer(exportReceipts(exported, options), json, {
      text: (done) => `Wrote ${count(done.receipts, 'receipt')} to ${printable(done.file)}.`,
    });
  if (imported !== undefined)
    return answer(await importReceipts(imported, options), json, { text: importedText });
  return answer(receipts({ ...options, ...(limit === undefined ? {} : { limit }) }), json, {
    text: receiptsText,
  });
}

async function forgetting(
  options: Parameters<typeof forgetReceipts>[0],
  { yes = false, json = false }: ReceiptsFlags,
): Promise<number> {
  const doneText = ({ receipts: removed }: ForgottenReceipts): string =>
    `Forgot ${count(removed, 'receipt')}.`;
  if (yes)
    return answer(forgetReceipts(options), json, {
      text: (done) =>
        done.removed ? `${forgettableText(done)}\n${doneText(done)}` : forgettableText(done),
    });
  const found = forgetReceipts({ ...options, dryRun: true });
  const shown = answer(found, json, { text: forgettableText });
  if (!found.ok || json || found.value.receipts === 0) return shown;
  if (!canAsk()) {
    print('Nothing was removed. To forget the receipts, run the same command with --yes.');
    return shown;
  }
  if (!(await isYes('Forget them?'))) {
    print('Nothing was removed.');
    return shown;
  }
  return answer(forgetReceipts(options), json, { text: doneText });
}
