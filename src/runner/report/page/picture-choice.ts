// Which small pictures a report holds if it has very many: each takes time to make, and the page also shows the files beside it.
import type { ReportData, ReportItem } from './report-data.ts';

/** About ten seconds of two processors, and 20 MB. */
export const mostPictures = 2_500;

/** The numbers of the pictures: first the inputs of items that need a person, then input and result of each item, then all others. */
export function chosenPictures(
  { items, shared }: Pick<ReportData, 'items' | 'shared'>,
  most = mostPictures,
): ReadonlySet<number> {
  const chosen = new Set<number>();
  const choose = (number: number | undefined): void => {
    if (number !== undefined && chosen.size < most) chosen.add(number);
  };
  const isTrouble = ({ state }: ReportItem): boolean => state === 'failed' || state === 'doubt';
  const all = [shared, ...items];
  for (const { inputs } of all.filter(isTrouble)) choose(inputs[0]?.picture);
  for (const { inputs, outputs } of all) {
    choose(inputs[0]?.picture);
    choose(outputs.findLast(({ picture }) => picture !== undefined)?.picture);
  }
  for (const { inputs, outputs, tasks } of all) {
    const takes = tasks.flatMap(({ takes = [] }) => takes.flatMap(({ files }) => files));
    for (const { picture } of [...inputs, ...outputs, ...takes]) choose(picture);
  }
  return chosen;
}
