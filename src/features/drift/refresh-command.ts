// shotlist refresh: asks the service for every known project, and updates the state file.

import type { RefreshFlags } from '../../terminal/flags.ts';
import { command } from '../command.ts';
import { refreshText } from './drift-text.ts';
import { refresh } from './refresh.ts';

export const refreshCommand = (file: string, flags: RefreshFlags): Promise<number> =>
  command(file, flags, (pipeline, reports) => refresh(pipeline, { ...flags, ...reports }), {
    text: refreshText,
    exitCode: ({ unread }) => (unread.length > 0 ? 1 : 0),
  });
