// Texts that say nothing: what spreadsheets and programs write into a cell that has no value. A prompt of this kind would be
// paid for.

/** Excel, Google Sheets and LibreOffice, also in German, French, Spanish, Italian and Portuguese. */
const sheetError =
  /^(?:#[¡¿]?(?:REF|VALUE|DIV\/0|NAME|NULL|NUM|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|ERROR|PYTHON|EXTERNAL|BEZUG|WERT|ZAHL|ÜBERLAUF|VALEUR|NOM|NOMBRE|VALOR|RIF|VALORE|NOME|DESBORDAMIENTO|PROPAGATION)[!?]|#(?:N\/A|N\/D|NV|GETTING_DATA)!?|#{3,}|Err:\d{3})$/;

/** Programs, spelled as they do: in other spellings, these are names and words. */
const programWord = /^(?:nan|NaN|-nan|NaT|<NA>|undefined|\[object Object\])$/;

/** As a whole text; within one, such a word may be meant. */
const emptyWord =
  /^(?:nan|nat|null|nil|none|n\/a|na|n\.a\.|<na>|\((?:null|none|blank|empty)\)|undefined|#n\/a)$/i;

/** Letters and symbols that nobody sees. */
const invisible = /[\u115f\u1160\u2800\u3164\uffa0]/g;

/** What a cell says if it has no value; undefined if it says something. An empty cell says nothing wrongly. */
export function nothingIn(cell: string): string | undefined {
  const text = cell.trim();
  return sheetError.test(text) || programWord.test(text) ? text : undefined;
}

/** Why a text is no prompt, as the end of a sentence about it; undefined if it is one. */
export function whyNoPrompt(prompt: string): string | undefined {
  const text = prompt.trim();
  if (!/[\p{L}\p{N}\p{S}]/u.test(text.replace(invisible, '')))
    return /[\p{P}]/u.test(text)
      ? `is ${JSON.stringify(text)}, without a word`
      : 'has only spaces and characters that nobody sees';
  return nothingIn(text) !== undefined || emptyWord.test(text)
    ? `is ${JSON.stringify(text)}, which ${writers}`
    : undefined;
}

export const writers = 'spreadsheets and programs write for a value that is missing';
