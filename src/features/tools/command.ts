// shotlist tools: the step kinds, their prices and their fields.

import { catalogue, entryOf } from '../../contract/catalogue/entry.ts';
import { kindNamed, kinds } from '../../contract/kinds.ts';
import { pricesPublished } from '../../contract/price-rule.ts';
import { suggestion } from '../../contract/yaml/diagnostic.ts';
import type { ToolsFlags } from '../../terminal/flags.ts';
import { print, printJson } from '../../terminal/terminal.ts';
import { refuse } from '../refuse.ts';
import { toolList, toolText } from './tools-text.ts';

export function toolsCommand(name: string | undefined, flags: ToolsFlags): number {
  const json = flags.json === true;
  if (name === undefined) {
    const groups = catalogue();
    if (json) printJson([...groups.values()].flat());
    else print(toolList(groups, pricesPublished));
    return 0;
  }
  const kind = kindNamed(name);
  if (kind === undefined) {
    const hint = suggestion(
      name,
      kinds.map((known) => known.name),
    );
    refuse(`there is no step kind ${JSON.stringify(name)}`, hint, 'shotlist tools');
  }
  const entry = entryOf(kind);
  if (json) printJson({ ...entry, with: kind.with });
  else print(toolText(entry));
  return 0;
}
