// The codes of diagnostics: what is wrong, and what to do about it. README.md says how to add one.

/** By the hundreds of their numbers. Of each code, the first sentence is its title. */
const groups = {
  'Text and YAML': {
    SL001:
      'The file is not UTF-8 text. Save it as UTF-8 in your editor: in another encoding, a letter such as é would reach the service as a wrong character.',
    SL002:
      'The file contains a control character. Remove the character, or write an escape in double quotes.',
    SL003:
      'The lines end with carriage returns only. Save the file with line feeds (LF) or with both (CRLF).',
    SL004: 'The file contains no pipeline. A pipeline needs at least a name and a step.',
    SL005:
      'The file contains an unfinished git merge. Keep the correct lines, and remove the marks.',
    SL006:
      'The file contains several YAML documents. Remove the line with `---`, or move the second pipeline to a file of its own.',
    SL007:
      'The indentation does not match the lines above. Indent all keys of one object by the same number of spaces.',
    SL008: 'A line is indented with a tab. Replace the tab with spaces.',
    SL009:
      'A bracket is not closed, or closes nothing. Close the bracket, indent the lines that belong inside, or remove the bracket that is too much.',
    SL010:
      'A value begins with a character that has a meaning in YAML. Put the value in quotation marks.',
    SL011:
      'A line has a second colon followed by a space. Put the text in quotation marks, or begin a new line.',
    SL012:
      'YAML cannot read an expression without quotation marks. Put the expression in quotation marks.',
    SL013: 'A key appears twice. Remove or rename one of the two.',
    SL014: 'The YAML is nested too deeply. Close the brackets that are open.',
    SL015:
      'An alias has no anchor. Check the spelling of `*name` and of `&name`, which must come earlier in the file.',
    SL016:
      'An alias makes a value contain itself. Take `*name` out of the value that `&name` marks.',
    SL017:
      'The aliases or merge keys expand to too many values. Write the values out, or use fewer aliases of aliases.',
    SL018:
      'JSON cannot represent a value. Write the infinity, the date or the binary data as a text or as a number.',
    SL019: 'A text contains half a character. Write the character itself, or as one escape.',
    SL020: 'The file is not valid YAML. Look at the marked place, and at the line before.',
    SL021: 'A text in quotation marks has no end. Add the closing mark.',
    SL022:
      'An escape in a text does not exist. Write `\\\\` for a backslash, or use single quotation marks.',
    SL023:
      'More text follows a closing quotation mark. Put the whole value in quotation marks; inside single ones, write an apostrophe twice.',
    SL024: 'A line is not a key with a value. Write a key, a colon, a space and the value.',
    SL025:
      'A merge key takes something that is not an object. Set its anchor, `&name`, at an object, or at each of a list of objects.',
    SL027:
      'An entry inside brackets is not followed by a comma. Add the comma; put a value that contains a comma in quotation marks.',
    SL028:
      'A text ends before a #. Put the whole text in quotation marks, or the comment on a line of its own: only the words before it are sent.',
  },
  Structure: {
    SL100:
      'The file is not an object with keys. Write keys such as pipeline: and steps: at the top level.',
    SL101:
      'A key is unknown at this place. Correct the spelling, move the key to where it belongs, or remove it; extra: of a step sends a newer field of the service unchecked.',
    SL102:
      'A required key is missing. Add the key; `shotlist tools <kind>` lists the fields of a step kind.',
    SL103:
      'A value has the wrong type. Write the type that the message names: a number without quotation marks, `true` instead of `yes`.',
    SL104:
      'A value is not in the list of allowed values. Choose one of those that the message lists.',
    SL105: 'A number is out of range. Choose a number in the range that the message names.',
    SL106: 'A text or a list has the wrong length. The message says how long it may be.',
    SL107:
      'A text does not have the form that its key needs. Write the form that the message describes: for example, a duration is 90s, 10m or 1h.',
    SL108:
      'A step or a list of a matrix has a name that it cannot have. Use at most 100 letters, digits, `_` and `-`, and begin with a letter or `_`.',
    SL109: 'Exactly one of several keys must be set. Keep one of them.',
    SL110: 'The step kind does not exist. `shotlist tools` lists the step kinds.',
    SL111:
      'A step of this kind does not have this field. Remove the field: keep: is for tool steps, extra: for tool steps and face-detect.',
    SL112:
      'A field that shotlist knows is under extra:. Move the field to with:, where it is checked.',
    SL113:
      'Fields under extra: cannot be merged into an expression. Write the object under with: with its keys instead of as one expression.',
    SL114:
      'Two settings answer the same question. Remove one of them: `on_failure: stop` leaves `max_failures` without effect.',
    SL115:
      'A cron expression is not valid, or never due. Write five fields in quotation marks: minute, hour, day of the month, month and day of the week.',
    SL116: 'The time zone does not exist. Write an IANA name such as Europe/Berlin, or UTC.',
    SL117:
      'An expression is in a place where shotlist evaluates none. Move it under with:, extra: or if: of a step.',
    SL118: 'A path, or an argument of a hook, contains a null character. Remove the character.',
    SL119: 'The address of a webhook is not valid. Write the whole address: https://host/path.',
    SL120:
      'The address of a store is not valid. Name a folder, relative to the pipeline file, or a bucket: s3://bucket/prefix.',
    SL121:
      'A path begins with "~". Write the whole path, or one relative to the pipeline file: only a shell expands "~".',
  },
  'Names, order and fan-outs': {
    SL201:
      'There is no step of this name. Check the spelling; a name with "-" needs brackets in an expression: `steps["first-photo"].file_path`.',
    SL202:
      'The step has no output of this name. `shotlist tools <kind>` lists the outputs of a step kind.',
    SL203:
      'A reference to a step names no output. Write the whole reference: `steps.<name>.<output>`.',
    SL204:
      'The pipeline declares no input of this name. Check the spelling, or declare the input under inputs:.',
    SL205:
      'An environment variable is not listed under env:. Add its name, so that everybody can see what the pipeline sends.',
    SL206:
      'The items have no field of this name. Use a field of the files, a column of the table, or a field of the values.',
    SL207:
      'An expression uses item, and the pipeline has no items. Add items:, or write the value itself.',
    SL208:
      'An expression uses a field that run or result does not have. Use run.date, run.due or result.ext.',
    SL209:
      'An expression uses result outside of the path of a download. Use result.ext only in the to: of a download.',
    SL210:
      'A step uses a step that never runs. Change the if: of the other step, which is always false, or remove the reference.',
    SL211: 'A download or a delete names a step that creates no project. Name a tool step.',
    SL212:
      'A delete would lose a paid result. Add a download step, or set discard: true to say that nobody needs the result.',
    SL213:
      'Steps wait for each other in a circle. Remove a reference or an entry of needs:; a delete waits for every other use of its step.',
    SL214:
      'A step of an item waits for all items to finish. Remove the delete of a shared step from its needs:.',
    SL215:
      'An expression uses a name that does not exist. Begin with item, matrix, inputs, env, steps, each, run or result; put a text in quotation marks.',
    SL216:
      'An expression uses matrix, and the items have none. Add a matrix to items, or use item.',
    SL217:
      'The matrix has no list of this name. Use a name of `matrix:` of items, or one that its include entries add.',
    SL218:
      'The condition of the items uses a name that is not known yet. Use item, matrix, inputs and env in `when:`, or move the condition to if: of a step.',
    SL219:
      'An expression uses each outside of a fan-out. Add `for_each` to the step, or use an output of a step that has it.',
    SL220:
      'The elements of a fan-out have no field of this name. Use url of a download, path of a face, or index and value of any element.',
    SL221:
      'A fan-out is inside another one. Remove `for_each` to continue element by element, or begin with all of them: `steps.<name>.all`.',
    SL222: 'A step follows two fan-outs. Use all elements of one of them: `steps.<name>.all`.',
    SL223:
      'A step of an item follows a fan-out that runs once for all items. Use all its elements, `steps.<name>.all`, or give the step a `for_each` of its own.',
    SL224:
      'A download or a delete follows a fan-out to which its step does not belong. Refer to no element of the fan-out, or name a step that belongs to it.',
    SL225:
      'A step has `on_missing` and gathers nothing. Remove `on_missing`, or read `steps.<name>.all`.',
    SL226:
      'A step uses single elements of a fan-out, and all of them. Make two steps, or use only one of the two.',
    SL227:
      'An expression gathers the results of a step that runs only once. Use its outputs without `all`.',
    SL228:
      'A step of an item gathers the results of all items. Remove what refers to the item, so that the step runs once.',
    SL229: 'A fan-out has too many elements. Take the first 1,000 of them, or use items.',
  },
  Expressions: {
    SL301:
      'The syntax of an expression is wrong. Write CEL: texts in quotation marks, both sides of a comparison, and every bracket closed.',
    SL302: 'An expression has no end. Add the missing `}}`.',
    SL303: 'An expression is empty. Write an expression between `${{` and `}}`, or remove both.',
    SL304:
      'The function does not exist. Check the spelling; docs/expressions.md lists the functions.',
    SL305:
      'An operator or a function does not work with these types. Convert a value with `string()`, `int()` or `double()`.',
    SL306: 'A pattern is not valid. Write an RE2 pattern, without look-around and back-references.',
    SL307:
      'An expression is too large or nested too deeply. Compute the value elsewhere, and give it to the pipeline as an input or as a field of the items.',
    SL308:
      'An expression takes too long, or creates a value that is too large. Avoid loops in loops: an evaluation takes at most 100,000 steps.',
    SL309:
      'A value has no such field or entry. Ask first, with `has(item.title)` or `size(item.names) > 1`, or give every item the field.',
    SL310: 'A list or an object cannot be part of a text. Choose an entry of the list, or join it.',
    SL311:
      'A condition is neither true nor false. Compare the value: `size(item.stem) > 0` instead of `size(item.stem)`.',
    SL312:
      'JSON cannot represent the result of an expression. Convert the value, for example with string().',
    SL313:
      'An expression fails for these values. Change the value, or ask for it first: int() of a text that is not a number fails, and so does a division by zero.',
    SL314:
      'An expression has a type that its place does not take. Convert the value, or choose a part of it.',
    SL315:
      'A value of this type has no such field. Use an entry of a list, `[0]`, or map() for a field of all.',
  },
  'Values of tools': {
    SL401:
      'The values of a step do not fit together. Change one of them; `shotlist tools <kind>` lists the models and their limits.',
    SL402:
      'A media field names a local file. Add an upload step for the file, and refer to its output; a direct URL works, too.',
    SL403:
      'A value looks misspelled. Correct the spelling, or ignore the warning if the value is new: shotlist sends it unchanged.',
    SL404:
      'The model is unknown to shotlist. Check the spelling, and set estimate: on the step: shotlist sends the name without a check.',
    SL405:
      'A prompt says nothing. Fill in the cell, or leave the row out: the service would charge for a picture of nothing.',
  },
  'Items, inputs and files': {
    SL501:
      'The glob finds no file. Write it relative to the pipeline file; the message says which glob would find what is there.',
    SL502: 'Two items have the same key. Give each item a key of its own.',
    SL503:
      'The items include the output folder. Use a narrower glob, or another output folder: the next run would pay for its own results.',
    SL504: '`shotlist watch` needs a glob. Set items.glob: only a glob finds files that arrive.',
    SL505:
      'The options of the command leave no item. Change --items, --exclude or --limit; the message shows what keys look like.',
    SL506: 'The service takes no file of this type. Convert the file, or use a narrower glob.',
    SL507:
      'A file does not exist, or cannot be read. Check the spelling and the case; paths are relative to the pipeline file.',
    SL508: 'A file is empty. Copy it or download it again.',
    SL509:
      'A download cannot be saved under this path. Write a path below the output folder, with names that every system takes.',
    SL510:
      'Two tasks would write the same file. Put something into to: that differs between the items, such as item.stem, not only in case.',
    SL511:
      'A download would overwrite a file that the pipeline reads. Choose another output folder, or another to:.',
    SL512: 'An input has no value. Set it with --input, or give it a default.',
    SL513:
      'The value of an input has the wrong type. Change the value of --input, or the default in the file.',
    SL514: 'An environment variable is not set. Set it before you call shotlist.',
    SL516:
      'A table has no rows. Add a row for each item: a CSV file below its header, a JSON Lines file with an object in each line.',
    SL517: 'A table seems to have another separator. Set `delimiter:` of items.',
    SL518:
      'A column of a table has values but no name, or the same name as another column. Name each column with values in the first line.',
    SL519:
      'A row of a table has too many or too few values. Write one value for each column, and put a value that contains the separator in quotation marks.',
    SL520:
      'The quotation marks of a table do not match. Close the marks; inside a value, write a quotation mark twice.',
    SL521:
      'A value of a table does not have the type of its column. Change the value, or `types:` of items.',
    SL522:
      'A line of a JSON Lines file is not a JSON object. Write each object on a line of its own, with names and texts in double quotation marks.',
    SL523: 'A row of a table is too long. Close its quotation marks; a row has at most 1 MB.',
    SL524:
      'An item has no key. Give it a value in the field that `key:` names, or choose another field.',
    SL525: 'A list has a value twice. Remove one of them.',
    SL526:
      'A matrix has too many combinations. Shorten its lists: it has at most 10,000 combinations, and each is paid for.',
    SL527:
      'An entry of a matrix changes nothing. Use values of the matrix in exclude, and add a value in include.',
    SL528:
      'A field of items does not belong to this kind of items. Remove it: `delimiter:` and `types:` are for CSV, `key:` for files, rows and values.',
    SL529:
      'The key of the items is an expression. Write the name of the field alone, without `item.` and `${{ }}`.',
    SL530:
      'The condition of the items leaves out all of them. Check the spelling and the types in `when:`; in a CSV file, every value is a text unless `types:` says otherwise.',
    SL531:
      'A file is not the medium that its name says, or was cut off. Replace the file: the service would refuse it after it was paid for.',
    SL532:
      'A number loses its form. Put it in quotation marks: YAML reads 007 as 7, and keeps about 15 digits of a long number.',
  },
  'Credits and the account': {
    SL601:
      'No step saves a paid result. Add a download step, or set keep: remote on the step to say that this is meant.',
    SL602:
      'The price of a step is not known. Set an upper bound on the step: `estimate: <credits>`.',
    SL603: 'The plan of the account does not include a value. Change the value, or the plan.',
  },
  Safety: {
    SL701:
      'An address contains a password or a key. Remove the credentials; a bucket takes them from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
    SL702: 'A path is outside the repository. If you trust the pipeline, use --allow-outside.',
    SL703: 'The output folder is one that git or shotlist uses. Name another folder.',
    SL704:
      'You have not agreed to the service that the file names. If you trust the address, run `shotlist trust`, or give it yourself with --service.',
    SL705:
      'You have not agreed to the bucket that the file names. If you trust the bucket, run `shotlist trust`.',
    SL706:
      'The bucket cannot be used. Set `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and the region or the address of its service.',
    SL707:
      'A pipeline reads a variable of shotlist itself. Give the value another name: `SHOTLIST_*` holds the API key and other settings of yours.',
  },
  'Faults files': {
    SL801: 'A fault names a target that does not exist. Name the target that the message suggests.',
  },
  Profiles: {
    SL912: 'The pipeline has no profile of this name. Check the spelling of --profile.',
    SL913:
      'A profile changes a step that does not exist. Check the spelling: a profile adds no steps.',
  },
} as const;

type CodesOf<Group> = Group extends unknown ? keyof Group : never;

/** The code of a diagnostic: `SL012`. A code keeps its meaning; the number of one that is gone is not used again. */
export type Code = CodesOf<(typeof groups)[keyof typeof groups]>;

export interface Explanation {
  /** One sentence that says what is wrong. */
  readonly title: string;
  /** One sentence that says what to do. */
  readonly remedy: string;
}

interface CodeGroup {
  readonly title: string;
  readonly codes: ReadonlyMap<string, Explanation>;
}

export const codeGroups: readonly CodeGroup[] = Object.entries(groups).map(([title, codes]) => ({
  title,
  codes: new Map(Object.entries(codes).map(([code, text]) => [code, explanationIn(text)])),
}));

export const explanations: ReadonlyMap<string, Explanation> = new Map(
  codeGroups.flatMap(({ codes }) => [...codes]),
);

function explanationIn(text: string): Explanation {
  const end = text.indexOf('. ') + 1;
  return { title: text.slice(0, end), remedy: text.slice(end + 1) };
}
