// shotlist run: runs a pipeline; asks before it buys much.

import { count } from '../../base/text.ts';
import { ownCreditDollars } from '../../terminal/credit-price.ts';
import { type Given, type runFlags, wholeNumber } from '../../terminal/flags.ts';
import { canAsk, isYes } from '../../terminal/question.ts';
import { printProse } from '../../terminal/terminal.ts';
import { buyQuestion, planReadingText } from '../plan/plan-text.ts';
import { refuse } from '../refuse.ts';
import type { RunQuestion } from './context.ts';
import { asRun, performCommand, type RunFlags } from './perform-command.ts';
import { type RunOptions, run } from './run.ts';

export interface RunCommandFlags
  extends RunFlags,
    Pick<Given<typeof runFlags>, 'confirmAbove' | 'yes' | 'payAgain' | 'plan'> {}

export async function runCommand(file: string, flags: RunCommandFlags): Promise<number> {
  const { confirmAbove: _, yes: __, ...own } = flags;
  const asking = questionsOf(flags);
  return await performCommand(file, own, {
    ...asRun,
    operate: (pipeline, options) => run(pipeline, { ...options, ...asking }),
  });
}

/** Without a terminal, nothing is asked. */
export function questionsOf(flags: RunCommandFlags): Pick<RunOptions, 'confirm' | 'confirmAbove'> {
  const confirmAbove = aboveOf(flags);
  if (flags.yes === true) return {};
  if (flags.json === true || !canAsk())
    return flags.payAgain === undefined ? {} : { confirm: refuseToPayAgain };
  return {
    confirmAbove,
    confirm: async ({ plan, reading, above, isAgain }) => {
      const creditDollars = ownCreditDollars() ?? reading.creditDollars;
      const text = planReadingText(plan, { ...reading, creditDollars }, false);
      if (text !== '') printProse(text);
      const because = isAgain
        ? 'because --pay-again pays for what was paid for before'
        : `before a run buys more than ${above} credits (confirm_above)`;
      printProse(`You are asked ${because}.`);
      return await isYes(buyQuestion(plan, { ...reading, creditDollars }));
    },
  };
}

/** Nobody can be asked: everything else is bought all the same. */
const refuseToPayAgain = async ({ plan, isAgain }: RunQuestion): Promise<boolean> =>
  isAgain
    ? refuse(
        `nothing was bought: --pay-again needs a yes to ${count(plan.credits, 'credit')}, and nobody can be asked here`,
        'add --yes',
      )
    : true;

/** The user's own choice: a flag, or a variable. */
function aboveOf({ confirmAbove }: RunCommandFlags): number | undefined {
  const { SHOTLIST_CONFIRM_ABOVE: text } = process.env;
  if (confirmAbove !== undefined || text === undefined || text === '') return confirmAbove;
  return /^\d{1,15}$/.test(text)
    ? wholeNumber(text)
    : refuse('SHOTLIST_CONFIRM_ABOVE is not a whole number of credits');
}
