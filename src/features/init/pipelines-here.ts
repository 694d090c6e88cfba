// The pipeline files of a folder, for somebody who has named none.
import { readRegularFile } from '../../base/regular-file.ts';
import { yamlIn } from '../../files/pipeline-files.ts';

const maxBytes = 1_000_000;

/** In the working folder and in its folder `pipelines`. What cannot be read is left out: nobody has asked for it. */
export const pipelinesHere = (): readonly string[] =>
  ['.', 'pipelines'].flatMap((folder) => {
    const names = yamlIn(folder);
    return names.ok ? names.value.filter(isPipeline) : [];
  });

function isPipeline(path: string): boolean {
  const bytes = readRegularFile(path, { max: maxBytes });
  return bytes.ok && /^pipeline:/m.test(bytes.value.toString('utf8'));
}
