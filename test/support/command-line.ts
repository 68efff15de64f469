/**
 * The options of a command for developers: what it was asked for, or a sentence that says what is wrong with that, and 2 at the end.
 * Neighbours: `bench/gateway/run.ts`, `test/soak/run.ts`.
 */

/** `undefined`: it was told what there is, or what is wrong, and there is nothing to do. */
export function readCommand<Options>(
  read: (args: readonly string[]) => Options | 'help',
  help: string,
): Options | undefined {
  try {
    const options = read(process.argv.slice(2))
    if (options !== 'help') return options
    process.stdout.write(help)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}`)
    process.exitCode = 2
  }
  return undefined
}
