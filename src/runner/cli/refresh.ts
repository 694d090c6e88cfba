// shotlist refresh: asks the service for every known project, and updates the state file.

import { refresh } from '../operations/refresh.ts';
import { refreshText } from '../report/drift-text.ts';
import { command } from './command.ts';
import type { RefreshFlags } from './flags.ts';

export const refreshCommand = (file: string, flags: RefreshFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => refresh(pipeline, { ...flags, ...reports }), {
    text: refreshText,
    exitCode: ({ unread }) => (unread.length > 0 ? 1 : 0),
  });
