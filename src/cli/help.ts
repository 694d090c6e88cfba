// The layout of `--help`: commands and flags in groups, each line within the terminal's width and broken between words.
import type { Command, Help, HelpConfiguration, Option } from 'commander';
import { flagGroups, longName } from '../terminal/flags.ts';

/** A shorter list of flags needs no headings. */
const manyFlags = 12;

/** Where a description begins that has no room beside its term, in columns. */
const indent = 6;
/** The least room that a description has beside its term. */
const leastRoom = 30;
/** A longer term has a line of its own, so that descriptions have room. */
const widestTerm = 26;

const exitCodes: readonly Row[] = [
  ['0', 'done'],
  ['1', 'some tasks failed'],
  ['2', 'refused: nothing was sent'],
  ['3', 'stopped by a budget, or the account has no credits left'],
  ['4', 'something is in doubt: it may have been paid'],
  ['5', 'the service refused the API key'],
  ['6', 'left while projects still render'],
  ['130', 'interrupted'],
];

type Groups = Readonly<Record<string, readonly string[]>>;

type Row = readonly [term: string, description: string];

const flagNames: Groups = Object.fromEntries(
  Object.entries(flagGroups).map(([heading, flags]) => [
    heading,
    Object.values(flags).map(({ term }) => longName(term)),
  ]),
);

/** What `Command.configureHelp` takes. `commandGroups`: the names of commands by their headings. */
export const helpLayout = (commandGroups: Groups): HelpConfiguration => ({
  formatHelp(command, help) {
    // Some terminals have no size.
    const width = help.helpWidth || 80;
    const sections = sectionsOf(command, help, commandGroups);
    const column = widest(sections.flatMap(([, rows]) => rows));
    const parts = [
      wrapped(`Usage: ${help.commandUsage(command)}`, width, indent),
      wrapped(sentence(command.description()), width),
      ...sections.map(([heading, rows]) => [
        heading,
        ...rows.flatMap((row) => lines(row, column, width)),
      ]),
      ...(isProgram(command)
        ? [['Exit codes:', ...exitCodes.flatMap((row) => lines(row, widest(exitCodes), width))]]
        : []),
    ];
    return `${parts.map((part) => part.join('\n')).join('\n\n')}\n`;
  },
});

const isProgram = ({ parent }: Command): boolean => parent === null;

const widest = (rows: readonly Row[]): number =>
  Math.max(...rows.map(([term]) => term.length).filter((length) => length <= widestTerm));

type Section = readonly [heading: string, rows: readonly Row[]];

function sectionsOf(command: Command, help: Help, commandGroups: Groups): readonly Section[] {
  const takes = help
    .visibleArguments(command)
    .map((argument): Row => [help.argumentTerm(argument), argument.description]);
  const commands = help.visibleCommands(command);
  const flags = help.visibleOptions(command);
  const known = Object.values(flagNames).flat();
  const grouping = flags.length >= manyFlags && flags.every((flag) => known.includes(long(flag)));
  return [
    ...grouped(
      takes,
      ([term]) => term,
      {},
      'Arguments:',
      (row) => row,
    ),
    ...grouped(
      commands,
      (one) => one.name(),
      isProgram(command) ? commandGroups : {},
      'Commands:',
      (one): Row => [`${one.name()} ${one.usage()}`.replace(' [options]', ''), one.description()],
    ),
    ...grouped(flags, long, grouping ? flagNames : {}, 'Options:', (flag) => [
      help.optionTerm(flag),
      meaning(flag),
    ]),
  ];
}

const long = (option: Option): string => option.long ?? option.flags;

/** With the choices, unless the description already names each. */
const meaning = ({ description, argChoices: choices = [] }: Option): string =>
  choices.every((choice) => description.includes(choice))
    ? description
    : `${description}: ${choices.join(', ')}`;

/** A section for each group that has members, and one for the others. */
function grouped<Member>(
  members: readonly Member[],
  nameOf: (member: Member) => string,
  groups: Groups,
  others: string,
  rowOf: (member: Member) => Row,
): readonly Section[] {
  const listed = Object.values(groups).flat();
  const rest = members.map(nameOf).filter((name) => !listed.includes(name));
  return Object.entries({ ...groups, [others]: rest })
    .map(([heading, names]): Section => {
      const found = names.flatMap((name) => members.filter((member) => nameOf(member) === name));
      return [heading, found.map(rowOf)];
    })
    .filter(([, rows]) => rows.length > 0);
}

/** A term and its description: beside each other, if there is room. */
function lines([term, description]: Row, column: number, width: number): readonly string[] {
  const beside = width - (column + 4) >= leastRoom;
  const at = beside ? column + 4 : indent;
  const [first = '', ...others] = wrapped(description, width - at).map(
    (line) => `${' '.repeat(at)}${line}`,
  );
  return beside && term.length <= column
    ? [`  ${term.padEnd(at - 2)}${first.trimStart()}`.trimEnd(), ...others]
    : [`  ${term}`, ...[first, ...others].filter((line) => line.trim() !== '')];
}

/** Lines of at most `width` columns, broken between words; the second and later ones begin `hanging` columns in. */
function wrapped(text: string, width: number, hanging = 0): readonly string[] {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last === undefined) rows.push(word);
    else if (last.length + 1 + word.length <= width) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(`${' '.repeat(hanging)}${word}`);
  }
  return rows;
}

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
