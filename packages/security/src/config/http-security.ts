// The configuration in Spring's DSL: `http.authorizeRequests(r => …).httpBasic().csrf(false)`. It only fills in the
// plain data of security-config.ts.
import type { CompletedRules, RuleBuilder } from '../authorization/rules.ts';
import { securityErrors } from '../errors/chain-errors.ts';
import type { Filter } from '../chain/filter.ts';
import type { FilterPosition } from '../chain/order.ts';
import type { FilterPlacement } from '../chain/order-filters.ts';
import type {
  ChainConfig,
  CsrfConfig,
  FormLoginConfig,
  HttpBasicConfig,
  LogoutConfig,
  PathChainConfig,
  SecurityConfig,
} from './security-config.ts';

type Place = FilterPosition | (string & {});

/** Collects a configuration. Every method returns the same object; the last call of a kind wins. */
export interface HttpSecurity {
  authorizeRequests(rules: (rules: RuleBuilder) => CompletedRules | void): HttpSecurity;
  httpBasic(options?: boolean | HttpBasicConfig): HttpSecurity;
  formLogin(options?: boolean | FormLoginConfig): HttpSecurity;
  logout(options?: boolean | LogoutConfig): HttpSecurity;
  csrf(options: boolean | CsrfConfig): HttpSecurity;
  cors(options: ChainConfig['cors']): HttpSecurity;
  headers(options: ChainConfig['headers']): HttpSecurity;
  addFilterBefore(filter: Filter, position: Place): HttpSecurity;
  addFilterAfter(filter: Filter, position: Place): HttpSecurity;
  addFilterAt(filter: Filter, position: Place): HttpSecurity;
  exceptionHandling(options: Pick<ChainConfig, 'entryPoint' | 'accessDenied'>): HttpSecurity;
  /** Adds a chain for some paths; declare it before more general ones. */
  chain(path: string | readonly string[], build: (http: HttpSecurity) => HttpSecurity | void): HttpSecurity;
  /** Any other key of the configuration. */
  set(config: SecurityConfig): HttpSecurity;
  readonly config: SecurityConfig;
}

export function createHttpSecurity(): HttpSecurity {
  return new Builder();
}

class Builder implements HttpSecurity {
  #config: SecurityConfig = {};

  get config(): SecurityConfig {
    return this.#config;
  }

  authorizeRequests(rules: (rules: RuleBuilder) => CompletedRules | void): HttpSecurity {
    if (this.#config.rules !== undefined)
      throw securityErrors.create('SECURITY_CONFIG_INVALID', {
        reason: 'authorizeRequests was called twice; put all rules into one call',
      });
    return this.set({ rules });
  }

  httpBasic(options: boolean | HttpBasicConfig = true): HttpSecurity {
    return this.set({ httpBasic: options });
  }

  formLogin(options: boolean | FormLoginConfig = true): HttpSecurity {
    return this.set({ formLogin: options });
  }

  logout(options: boolean | LogoutConfig = true): HttpSecurity {
    return this.set({ logout: options });
  }

  csrf(options: boolean | CsrfConfig): HttpSecurity {
    return this.set({ csrf: options });
  }

  cors(options: ChainConfig['cors']): HttpSecurity {
    return this.set({ cors: options });
  }

  headers(options: ChainConfig['headers']): HttpSecurity {
    return this.set({ headers: options });
  }

  addFilterBefore(filter: Filter, position: Place): HttpSecurity {
    return this.#add({ filter, before: position });
  }

  addFilterAfter(filter: Filter, position: Place): HttpSecurity {
    return this.#add({ filter, after: position });
  }

  addFilterAt(filter: Filter, position: Place): HttpSecurity {
    return this.#add({ filter, at: position });
  }

  exceptionHandling(options: Pick<ChainConfig, 'entryPoint' | 'accessDenied'>): HttpSecurity {
    return this.set(options);
  }

  chain(path: string | readonly string[], build: (http: HttpSecurity) => HttpSecurity | void): HttpSecurity {
    const inner = createHttpSecurity();
    build(inner);
    const chain: PathChainConfig = { ...inner.config, path };
    return this.set({ chains: [...(this.#config.chains ?? []), chain] });
  }

  set(config: SecurityConfig): HttpSecurity {
    this.#config = { ...this.#config, ...config };
    return this;
  }

  #add(placement: FilterPlacement): HttpSecurity {
    return this.set({ filters: [...(this.#config.filters ?? []), placement] });
  }
}
