/**
 * How `check-arguments` is said in `sluice.yaml`. Neighbours: `policies.ts` has it in its list,
 * `stock/check-arguments` is what it makes.
 */
import {
  checkArgumentsPolicy,
  type ArgumentSettings,
} from '../stock/check-arguments/check-arguments.ts'
import { listOf, oneOrMany } from './collections.ts'
import type { PolicyEntry } from './policy-entry.ts'
import { noteMissing, section, type Section, type Shape } from './section.ts'
import { choice, flag, text } from './text.ts'

const settings = {
  check: {
    says: 'Whether calls are checked at all (default true)',
    field: flag,
  },
  repair: {
    says: 'Whether what can be put right without a guess is; else it is denied (default true)',
    field: flag,
  },
  removeUnknown: {
    says: 'Whether properties that a schema does not allow are removed, instead of a denial (default false)',
    field: flag,
  },
} satisfies Shape

const name = text({ takes: 'the name of a tool, with * for any characters', maxLength: 256 })

const tool = {
  name: {
    says: 'The name of a tool, or a list; * stands for any characters',
    field: oneOrMany(name, { min: 1, max: 200, takes: 'the name of a tool, or a list' }),
    isRequired: true,
  },
  ...settings,
} satisfies Shape

const shape = {
  ...settings,
  unknownTools: {
    says: 'What becomes of calls of tools that the client did not declare (default deny)',
    field: choice(['deny', 'pass'], 'way with unknown tools'),
  },
  tools: {
    says: 'Other settings for some tools; the first that takes a tool counts',
    field: listOf(section(tool), { min: 1, max: 200, takes: 'a list of tools with settings' }),
  },
} satisfies Shape

export const checkArgumentsEntry: PolicyEntry<typeof shape> = {
  says: 'Checks the arguments of tool calls against the schemas that the client declared, and puts right what is safe',
  shape,
  make({ values }, reading) {
    const tools = (values.tools ?? []).map(({ value }) => value)
    const idle = tools.filter(({ spots }) => !SETTINGS.some((key) => spots[key] !== undefined))
    for (const { spot } of idle)
      noteMissing(spot, 'a setting', `give it ${SETTINGS.join(', ')}, or remove it`, reading)
    if (idle.length > 0) return undefined
    return checkArgumentsPolicy({
      ...toSettings(values),
      unknownTools: values.unknownTools,
      tools: tools.map((one) => ({
        names: (one.values.name ?? []).map(({ value }) => value),
        ...toSettings(one.values),
      })),
    })
  },
}

const SETTINGS = ['check', 'repair', 'removeUnknown'] as const

const toSettings = ({
  check,
  repair,
  removeUnknown,
}: Section<typeof settings>['values']): ArgumentSettings => ({ check, repair, removeUnknown })
