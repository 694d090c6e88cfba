// shotlist plan: what would run, what it would cost, what is reused. At most the account's balance is asked for.

import { loadPipeline } from '../operations/pipeline/load.ts';
import { type Planned, plan } from '../operations/plan.ts';
import { envText, outsideText } from '../report/exposure-text.ts';
import { balanceLine, planText } from '../report/plan-text.ts';
import { serviceLine } from '../report/service-text.ts';
import { filterOf, type PipelineFlags } from './options.ts';
import {
  caution,
  print,
  printJson,
  printWarnings,
  refuse,
  rehearsalLine,
  rehearseLine,
} from './terminal.ts';

export async function planCommand(file: string, flags: PipelineFlags): Promise<number> {
  const json = flags.json === true;
  const loaded = await loadPipeline(file, { inputs: flags.input ?? {} });
  if (!loaded.ok) return refuse(loaded.error, json);
  const planned = await plan(loaded.value, {
    ...flags,
    items: filterOf(flags),
    ...(json ? {} : { onConnect: (address) => print(serviceLine(address)) }),
  });
  if (!planned.ok) return refuse(planned.error, json);
  const { troubles, warnings, rehearsal, balance } = planned.value;
  if (json) printJson(planned.value);
  else {
    const { text } = loaded.value.pipeline.source;
    const messages = troubles.map(({ message }) => message);
    if (rehearsal) print(flags.rehearse === true ? rehearseLine : rehearsalLine);
    printWarnings(loaded.value.warnings, text);
    warnings.forEach(caution);
    print(planText(planned.value.plan, messages));
    for (const line of exposed(planned.value)) print(line);
    if (balance?.credits !== undefined) print(balanceLine(balance.credits));
    if (balance?.warning !== undefined) caution(balance.warning);
    printWarnings(troubles, text);
  }
  if (troubles.length > 0) return 2;
  return planned.value.plan.badItems > 0 ? 1 : 0;
}

/** What a person should see before they run a pipeline that someone else wrote. */
const exposed = ({ env, service, outside }: Planned): readonly string[] =>
  [envText(env, service), outsideText(outside)].filter((text) => text !== undefined);
