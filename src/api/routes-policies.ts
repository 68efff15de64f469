/**
 * The paths of policies: what is installed, what it decided, and how it is written. Neighbours: `routes.ts` has the whole
 * table and says what a row is.
 */
import { FILTERS } from './filters.ts'

export const POLICY_ROUTES = {
  'GET /api/policies': {
    group: 'policies',
    says: 'What is installed, in order, with what it applies to and what was said of it since; all versions; the kill switch',
    answer: 'Policies',
  },
  'POST /api/policies': {
    group: 'policies',
    says: 'Adds a stock policy of a new name at the end of the list, on all gateways of this store',
    body: 'NewPolicyOrder',
    answer: 'Edit',
    fails: [400, 409, 503],
  },
  'POST /api/policies/check': {
    group: 'policies',
    says: 'What is wrong with policies that somebody writes, each mistake with its place in the text; cheap enough for each pause in typing',
    body: 'CheckOrder',
    answer: 'Check',
    fails: [400, 503],
  },
  'GET /api/policies/{name}/source': {
    group: 'policies',
    says: 'The entry of a policy as it holds now, as YAML, and whether it can be edited',
    answer: 'PolicySource',
    fails: [404, 503],
  },
  'GET /api/policies/{name}/versions': {
    group: 'policies',
    says: 'All versions that were ever installed, who wrote them, which one holds, and what each decided (of the newest 100,000 verdicts of the policy)',
    answer: 'PolicyVersions',
    fails: [404, 503],
  },
  'POST /api/policies/{name}/versions': {
    group: 'policies',
    says: 'Puts an edited entry in the place of the configured one, on all gateways of this store, until the config itself says something else',
    body: 'EditOrder',
    answer: 'Edit',
    fails: [400, 404, 409, 503],
  },
  'POST /api/policies/{name}/rollback': {
    group: 'policies',
    says: 'Back to a version that was written by the API, or (without one) to what the config says; a policy that is in no config is removed',
    body: 'RollbackOrder',
    answer: 'Edit',
    fails: [400, 404, 409, 503],
  },
  'GET /api/policies/summary': {
    group: 'policies',
    says: 'What policies decided over a time, by verdict and by tool, those in shadow apart; and how many blocks each has judged',
    query: FILTERS,
    answer: 'PolicySummaries',
    fails: [400, 503],
  },
  'POST /api/policies/{name}/mode': {
    group: 'policies',
    says: 'Turns a policy on (`acts`) or puts it into shadow, as long as its version stays this',
    body: 'ModeOrder',
    answer: 'Mode',
    fails: [400, 404, 503],
  },
  'GET /api/policies/halt': { group: 'policies', says: 'The kill switch', answer: 'Halt' },
  'POST /api/policies/halt': {
    group: 'policies',
    says: 'Turns it: while it is on, no tool call leaves',
    body: 'HaltOrder',
    answer: 'Halt',
    fails: [400],
  },
} as const
