// shotlist plan: what would run, what it would cost, what is reused. At most the account's balance is asked for.
import { renderDiagnostic } from '../language/diagnostic.ts';
import { balanceLine, planText } from '../report/plan-text.ts';
import { loadPipeline } from '../workspace/load.ts';
import { plan } from '../workspace/plan.ts';
import { filterOf, type PipelineFlags } from './options.ts';
import {
  caution,
  complain,
  print,
  printJson,
  refuse,
  rehearsalLine,
  rehearseLine,
  warn,
} from './terminal.ts';

export async function planCommand(file: string, flags: PipelineFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const planned = await plan(loaded.value, { ...flags, items: filterOf(flags) });
  if (!planned.ok) return refuse(planned.error, json);
  const { troubles, warnings, rehearsal, balance } = planned.value;
  if (json) printJson(planned.value);
  else {
    const { text } = loaded.value.pipeline.source;
    if (rehearsal) print(flags.rehearse === true ? rehearseLine : rehearsalLine);
    warn(loaded.value.warnings, text);
    warnings.forEach(caution);
    print(planText(planned.value.plan));
    if (balance?.credits !== undefined) print(balanceLine(balance.credits));
    if (balance?.warning !== undefined) caution(balance.warning);
    for (const trouble of troubles) complain(renderDiagnostic(trouble, text));
  }
  return troubles.length > 0 ? 2 : 0;
}
