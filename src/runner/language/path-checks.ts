// Checks what no path can have, in the paths that a pipeline file names itself.
import { isObject, type Json } from '../../contract/base/json.ts';
import type { Diagnostic } from '../../contract/yaml/diagnostic.ts';
import type { Path } from '../../contract/yaml/place.ts';
import type { Source } from '../../contract/yaml/source.ts';

export function checkPaths(document: Json, source: Source): readonly Diagnostic[] {
  if (!isObject(document)) return [];
  const { items, outputs, output } = document;
  const { csv, jsonl, glob } = isObject(items) ? items : {};
  const named: readonly (readonly [Path, Json | undefined])[] = [
    [['output'], output],
    [['outputs', 'store'], isObject(outputs) ? outputs['store'] : undefined],
    [['items', 'csv'], csv],
    [['items', 'jsonl'], jsonl],
    ...(Array.isArray(glob)
      ? glob.map((pattern, index): [Path, Json] => [['items', 'glob', index], pattern])
      : [[['items', 'glob'], glob] as const]),
  ];
  return named.flatMap(([path, value]): Diagnostic[] =>
    typeof value === 'string' && value.includes('\0')
      ? [
          {
            ...{ severity: 'error', code: 'SL118', file: source.file, span: source.spanOf(path) },
            message: `${path.join('.')} contains a null character`,
            hint: 'remove the character: no path can have it',
          },
        ]
      : [],
  );
}
