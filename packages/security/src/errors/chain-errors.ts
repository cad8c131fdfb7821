// Errors of the chain, its rules and its configuration. Start-up errors (status 500) stop a wrong configuration before
// a request is served; the others are responses.
import { defineErrors } from '@lockstitch/kernel';

export const securityErrors = defineErrors('SECURITY', {
  // Requests that the firewall rejects
  SECURITY_TARGET_REFUSED: {
    status: 400,
    message: 'The request target was refused: {reason}.',
    hint: 'Send the path in its plain form: no empty, dot or encoded-slash segments, no ";" and no control characters.',
  },
  SECURITY_METHOD_REFUSED: {
    status: 400,
    message: 'The HTTP method "{method}" is not accepted.',
    hint: 'Use one of {allowed}.',
  },
  SECURITY_HOST_REFUSED: {
    status: 400,
    message: 'The host "{host}" is not served here.',
    hint: 'Send one Host header with a name that is served here.',
  },
  SECURITY_CODING_REFUSED: {
    status: 501,
    message: 'The transfer coding "{coding}" is not understood here.',
    hint: 'Send the body with a Content-Length, or with "Transfer-Encoding: chunked" alone; compress it by Content-Encoding.',
  },
  SECURITY_BODY_TOO_LARGE: {
    status: 413,
    message: 'The request body is larger than {limit} bytes.',
    hint: 'Send a smaller form, or the token in a header.',
  },
  SECURITY_FORM_FIELDS: {
    status: 413,
    message: 'The form has more than {limit} fields.',
    hint: 'Send fewer fields, or the token in a header.',
  },
  SECURITY_BODY_INCOMPLETE: { status: 400, message: 'The connection was closed before the body had arrived.' },
  SECURITY_BODY_TAKEN: {
    status: 500,
    message: 'The chain has to read the body, but it was read before.',
    hint: 'Mount the security chain before the body parser.',
  },

  // Decisions
  SECURITY_UNAUTHENTICATED: {
    status: 401,
    message: 'This request needs a valid user.',
    hint: 'Send HTTP Basic credentials in the header "Authorization", or log in first.',
  },
  SECURITY_FORBIDDEN: {
    status: 403,
    message: 'The user "{user}" may not do this.',
    hint: 'Ask for the authority that the rule of this path names, or use another account.',
  },

  // Start-up: rules
  SECURITY_RULE_AFTER_ANY_REQUEST: {
    status: 500,
    message: "Can't configure {matcher} after anyRequest: a rule behind the catch-all could never decide.",
    hint: 'Declare the rule for {subject} before anyRequest().',
  },
  SECURITY_ANY_REQUEST_TWICE: {
    status: 500,
    message: "Can't configure anyRequest after itself.",
    hint: 'Keep one catch-all rule, as the last one.',
  },
  SECURITY_INCOMPLETE_MAPPING: {
    status: 500,
    message: 'An incomplete mapping was found for [{subject}]: it selects requests but says nothing about them.',
    hint: "Complete it with something like .hasRole('USER'), .authenticated() or .permitAll().",
  },
  SECURITY_NO_MAPPING: {
    status: 500,
    message: 'At least one mapping is required: authorizeRequests was called without a rule.',
    hint: 'Add a rule, for example r.anyRequest().authenticated(), or leave authorizeRequests out.',
  },
  SECURITY_RULE_UNREACHABLE: {
    status: 500,
    message:
      'Rule {number} ({rule}) can never decide: rule {earlier} ({covering}) already covers every request it selects.',
    hint: 'Put rule {number} before rule {earlier}, or delete it.',
  },
  SECURITY_RULES_INVALID: {
    status: 500,
    message: '{count} rules are wrong:\n{list}',
    hint: 'Fix each of them; they are checked again at the next start.',
  },
  SECURITY_RULE_INVALID: {
    status: 500,
    message: 'Rule {number} is not a rule: {reason}.',
    hint: "Write { ant: '/path/**', access: \"hasRole('ADMIN')\" }; ant, mvc, regex or any selects, method narrows, access decides.",
  },
  SECURITY_ROLE_INVALID: {
    status: 500,
    message: '{reason}',
    hint: "Give the role without its prefix: hasRole('ADMIN') needs the authority ROLE_ADMIN.",
  },
  SECURITY_PATTERN_INVALID: {
    status: 500,
    message: 'The {matcher} pattern "{pattern}" is not valid: {reason}.',
    hint: 'Forms: /a, /a/*, /a/**, /a/**/c, /a/{param}, /a/{param:regex}.',
  },
  SECURITY_METHOD_UNKNOWN: {
    status: 500,
    message: '"{method}" is not an HTTP method that requests can be selected by.{suggestion}',
    hint: 'Use one of {allowed}.',
  },

  // Start-up: chain
  SECURITY_FILTER_UNKNOWN: {
    status: 500,
    message: 'The filter "{filter}" does not have a registered order.{suggestion}',
    hint: 'Add your filter before, after or at one of: {known}.',
  },
  SECURITY_CHAIN_UNREACHABLE: {
    status: 500,
    message: 'Chain {number} ({name}) can never run: chain {earlier} ({covering}) already takes every request.',
    hint: 'Declare the chain for particular paths before the one for all paths.',
  },
  SECURITY_CONFIG_INVALID: {
    status: 500,
    message: 'The security configuration is not valid: {reason}.',
  },
  SECURITY_CORS_INVALID: {
    status: 500,
    message: 'The CORS policy for "{path}" is not valid: {reason}.',
    hint: 'Name the origins, for example allowedOrigins: ["https://app.example.org"].',
  },
  SECURITY_CONTEXT_MISSING: {
    status: 500,
    message: 'No security context is held here: {reason}.',
    hint: 'Call it inside a request, or run the task through context.wrap(task).',
  },
});
