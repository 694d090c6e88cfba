// The file that stands for an item.
import type { ReportFile, ReportItem } from '../page/report-data.ts';

/** The last picture or clip that was saved, else the last file. */
export const resultOf = ({ outputs }: ReportItem): ReportFile | undefined =>
  outputs.findLast(({ medium }) => medium === 'image' || medium === 'video') ?? outputs.at(-1);
