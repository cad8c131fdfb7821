// The error catalogue of the kernel: what an access expression can be refused for, when it is configured and when it
// is evaluated. An expression that fails while it is evaluated never grants.
import { defineErrors } from './catalogue.ts';

export const expressionErrors = defineErrors('EXPRESSION', {
  EXPRESSION_SYNTAX: {
    status: 500,
    message: 'The expression "{text}" cannot be read: {reason} at column {column}.',
    hint: "Example: hasRole('ADMIN') or (isAuthenticated() and owner == authentication.name).",
  },
  EXPRESSION_TOO_LARGE: {
    status: 500,
    message: 'The expression is too large: {reason}.',
    hint: 'Split the rule, or move the decision into a named bean.',
  },
  EXPRESSION_UNSUPPORTED: {
    status: 500,
    message: 'The expression "{text}" uses {what} at column {column}, which access expressions do not have.',
    hint: '{instead}',
  },
  EXPRESSION_UNKNOWN_NAME: {
    status: 500,
    message: 'Unknown {what} "{name}" at column {column} of the expression "{text}".{suggestion}',
    hint: 'Known here: {known}.',
  },
  EXPRESSION_ARGUMENTS: {
    status: 500,
    message: '{name} at column {column} of the expression "{text}" {reason}.',
    hint: '{usage}',
  },
  EXPRESSION_TYPE: {
    status: 500,
    message: 'The expression "{text}" is wrong at column {column}: {reason}.',
    hint: 'An access expression must come out as true or false.',
  },
  EXPRESSION_EVALUATION: {
    status: 500,
    message: 'The expression "{text}" could not be evaluated: {reason}.',
    hint: 'A rule that fails never grants; correct the rule or the values it reads.',
  },
});
