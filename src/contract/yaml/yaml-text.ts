// JSON as YAML text that is read back as the same value.
import { Document, Scalar, visit } from 'yaml';
import type { Json } from '../../base/json.ts';
import { printable, printableJson } from '../../base/printable.ts';

/** Ends with a line feed. It has no aliases, and unsafe characters are escapes in quotes. */
export function yamlText(value: Json): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value !== 'string') return;
      const isKey = key === 'key';
      // A plain << would be a merge key.
      if (unsafe(node.value) || (isKey && node.value === '<<')) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return printableJson(document.toString({ lineWidth: 0 }));
}

/** A line feed is fine in a block of lines; a carriage return or a control character is not. */
const unsafe = (text: string): boolean => {
  const plain = text.replaceAll('\n', '');
  return printable(plain) !== plain;
};
