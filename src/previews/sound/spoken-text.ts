// The text that a voice tool is asked to say.
import type { ProjectError } from '../../contract/api/project.ts';
import { fieldOf, type JsonObject } from '../../contract/base/json.ts';
import { err, ok, type Result } from '../../contract/base/result.ts';

/** interface.md, Limits: for all users. */
const mostLetters = 1000;

export function spokenText(body: JsonObject): Result<string, ProjectError> {
  const text = `${fieldOf(body, 'style.prompt') ?? ''}`;
  const letters = [...text].length;
  if (letters <= mostLetters) return ok(text);
  return err({
    code: 'text_too_long',
    message: `The text has ${letters} characters; at most ${mostLetters} are spoken`,
  });
}
