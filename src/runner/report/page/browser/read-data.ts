// The data of this page, as the same version of shotlist wrote it.
import type { ReportData } from '../report-data.ts';

export function readData(text: string | null | undefined): ReportData {
  const value: ReportData = JSON.parse(text ?? '');
  return value;
}
