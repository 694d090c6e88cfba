// The comments of a YAML text, in order.
import { Lexer } from 'yaml';

export const commentsIn = (text: string): readonly string[] =>
  [...new Lexer().lex(text)]
    .filter((token) => token.startsWith('#'))
    .map((comment) => comment.trimEnd());
