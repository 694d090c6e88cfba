// Groups of step kinds, by what people want to do.
import { isObject } from '../../base/json.ts';
import type { StepKind } from '../kinds/kind.ts';

export const groups = [
  'Files and faces',
  'Make images',
  'Change images',
  'Make videos',
  'Change videos',
  'Speech',
] as const;

export type Group = (typeof groups)[number];

/** A tool that takes the medium that it makes changes it; the other tools make something new. */
export function groupOf({ tool }: StepKind): Group {
  switch (tool?.record) {
    case undefined:
      return 'Files and faces';
    case 'audio':
      return 'Speech';
    case 'image':
      return takes(tool?.request['properties'], 'image') ? 'Change images' : 'Make images';
    case 'video':
      return takes(tool?.request['properties'], 'video') ? 'Change videos' : 'Make videos';
  }
}

function takes(part: unknown, medium: string): boolean {
  if (Array.isArray(part)) return part.some((inner) => takes(inner, medium));
  if (!isObject(part)) return false;
  return part['x-asset'] === medium || Object.values(part).some((inner) => takes(inner, medium));
}
