// Mistakes in the members of aggregations are told in Elasticsearch's words: what 7.10.2 answered, without lines and columns.
import { test } from 'node:test';
import { checkRefusals } from '../rest/refused-requests.ts';

/** The types of the error and of its root cause, the reason, and `aggs`. */
const REFUSED = String.raw`
x_content_parse_exception x_content_parse_exception | [max] field doesn't support values of type: VALUE_NUMBER | {"a":{"max":{"field":7}}}
x_content_parse_exception x_content_parse_exception | [max] missing doesn't support values of type: START_ARRAY | {"a":{"max":{"field":"n","missing":[]}}}
x_content_parse_exception x_content_parse_exception | [max] failed to parse field [missing] | {"a":{"max":{"field":"n","missing":null}}}
x_content_parse_exception x_content_parse_exception | [max] value_type doesn't support values of type: VALUE_NUMBER | {"a":{"max":{"field":"n","value_type":7}}}
x_content_parse_exception x_content_parse_exception | [max] format doesn't support values of type: VALUE_NUMBER | {"a":{"max":{"field":"n","format":7}}}
search_phase_execution_exception number_format_exception | For input string: "x" | {"a":{"max":{"field":"n","missing":"x"}}}
search_phase_execution_exception number_format_exception | empty String | {"a":{"max":{"field":"n","missing":""}}}
search_phase_execution_exception parse_exception | failed to parse date field [x] with format [strict_date_optional_time||epoch_millis]: [failed to parse date field [x] with format [strict_date_optional_time||epoch_millis]] | {"a":{"max":{"field":"when","missing":"x"}}}
search_phase_execution_exception parse_exception | cannot parse empty date | {"a":{"max":{"field":"when","missing":""}}}
search_phase_execution_exception illegal_argument_exception | Cannot parse boolean [7], expected either [true] or [false] | {"a":{"max":{"field":"flag","missing":7}}}
search_phase_execution_exception illegal_argument_exception | 'x' is not an IP string literal. | {"a":{"terms":{"field":"address","missing":"x"}}}
search_phase_execution_exception illegal_argument_exception | Can't apply missing values on a class org.elasticsearch.search.aggregations.support.ValuesSource$Range | {"a":{"value_count":{"field":"span","missing":7}}}
search_phase_execution_exception illegal_argument_exception | Field [tag] of type [keyword] does not support custom formats | {"a":{"value_count":{"field":"tag","format":"0.0"}}}
search_phase_execution_exception illegal_argument_exception | Field [flag] of type [boolean] does not support custom formats | {"a":{"terms":{"field":"flag","format":"0.0"}}}
search_phase_execution_exception illegal_argument_exception | Malformed pattern "#0#" | {"a":{"max":{"field":"n","format":"#0#"}}}
x_content_parse_exception x_content_parse_exception | [cardinality] unknown field [format] | {"a":{"cardinality":{"field":"n","format":"0"}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [size] | {"a":{"terms":{"field":"n","size":"x"}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [size] | {"a":{"terms":{"field":"n","size":10000000000}}}
x_content_parse_exception x_content_parse_exception | [terms] size doesn't support values of type: VALUE_NULL | {"a":{"terms":{"field":"n","size":null}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [size] | {"a":{"terms":{"field":"n","size":0}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [shard_size] | {"a":{"terms":{"field":"n","shard_size":0}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [min_doc_count] | {"a":{"terms":{"field":"n","min_doc_count":-1}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [shard_min_doc_count] | {"a":{"terms":{"field":"n","shard_min_doc_count":-1}}}
x_content_parse_exception x_content_parse_exception | [terms] order doesn't support values of type: VALUE_NUMBER | {"a":{"terms":{"field":"n","order":7}}}
x_content_parse_exception x_content_parse_exception | [terms] failed to parse field [show_term_doc_count_error] | {"a":{"terms":{"field":"n","show_term_doc_count_error":"x"}}}
x_content_parse_exception x_content_parse_exception | [terms] show_term_doc_count_error doesn't support values of type: VALUE_NUMBER | {"a":{"terms":{"field":"n","show_term_doc_count_error":1}}}
x_content_parse_exception x_content_parse_exception | [terms] collect_mode doesn't support values of type: VALUE_BOOLEAN | {"a":{"terms":{"field":"n","collect_mode":true}}}
x_content_parse_exception x_content_parse_exception | [terms] include doesn't support values of type: VALUE_BOOLEAN | {"a":{"terms":{"field":"n","include":true}}}
x_content_parse_exception x_content_parse_exception | [terms] exclude doesn't support values of type: START_OBJECT | {"a":{"terms":{"field":"n","exclude":{"x":1}}}}
x_content_parse_exception x_content_parse_exception | [rare_terms] failed to parse field [precision] | {"a":{"rare_terms":{"field":"n","precision":"x"}}}
x_content_parse_exception x_content_parse_exception | [cardinality] rehash doesn't support values of type: VALUE_BOOLEAN | {"a":{"cardinality":{"field":"n","rehash":true}}}
x_content_parse_exception x_content_parse_exception | [cardinality] precision_threshold doesn't support values of type: VALUE_NULL | {"a":{"cardinality":{"field":"n","precision_threshold":null}}}
x_content_parse_exception x_content_parse_exception | [histogram] interval doesn't support values of type: VALUE_BOOLEAN | {"a":{"histogram":{"field":"n","interval":true}}}
x_content_parse_exception x_content_parse_exception | [histogram] offset doesn't support values of type: VALUE_BOOLEAN | {"a":{"histogram":{"field":"n","interval":1,"offset":true}}}
x_content_parse_exception x_content_parse_exception | [histogram] extended_bounds doesn't support values of type: VALUE_NUMBER | {"a":{"histogram":{"field":"n","interval":1,"extended_bounds":7}}}
x_content_parse_exception x_content_parse_exception | [histogram] failed to parse field [min_doc_count] | {"a":{"histogram":{"field":"n","interval":1,"min_doc_count":-1}}}
x_content_parse_exception x_content_parse_exception | [date_histogram] calendar_interval doesn't support values of type: VALUE_NUMBER | {"a":{"date_histogram":{"field":"when","calendar_interval":7}}}
x_content_parse_exception x_content_parse_exception | [date_histogram] time_zone doesn't support values of type: VALUE_BOOLEAN | {"a":{"date_histogram":{"field":"when","calendar_interval":"1d","time_zone":true}}}
x_content_parse_exception x_content_parse_exception | [date_histogram] extended_bounds doesn't support values of type: VALUE_NUMBER | {"a":{"date_histogram":{"field":"when","calendar_interval":"1d","extended_bounds":7}}}
x_content_parse_exception x_content_parse_exception | [auto_date_histogram] minimum_interval doesn't support values of type: VALUE_NUMBER | {"a":{"auto_date_histogram":{"field":"when","minimum_interval":7}}}
x_content_parse_exception x_content_parse_exception | [range] ranges doesn't support values of type: VALUE_NUMBER | {"a":{"range":{"field":"n","ranges":7}}}
x_content_parse_exception x_content_parse_exception | [range] keyed doesn't support values of type: VALUE_NUMBER | {"a":{"range":{"field":"n","keyed":7,"ranges":[{"to":1}]}}}
x_content_parse_exception x_content_parse_exception | [geo_distance] origin doesn't support values of type: VALUE_BOOLEAN | {"a":{"geo_distance":{"field":"place","origin":true,"ranges":[{"to":1}]}}}
x_content_parse_exception x_content_parse_exception | [geohash_grid] precision doesn't support values of type: VALUE_BOOLEAN | {"a":{"geohash_grid":{"field":"place","precision":true}}}
x_content_parse_exception x_content_parse_exception | [geohash_grid] failed to parse field [shard_size] | {"a":{"geohash_grid":{"field":"place","shard_size":0}}}
x_content_parse_exception x_content_parse_exception | [geohash_grid] bounds doesn't support values of type: VALUE_NUMBER | {"a":{"geohash_grid":{"field":"place","bounds":7}}}
x_content_parse_exception x_content_parse_exception | [significant_terms] background_filter doesn't support values of type: VALUE_NUMBER | {"a":{"significant_terms":{"field":"tag","background_filter":7}}}
x_content_parse_exception x_content_parse_exception | [geo_bounds] wrap_longitude doesn't support values of type: VALUE_NUMBER | {"a":{"geo_bounds":{"field":"place","wrap_longitude":7}}}
parsing_exception parsing_exception | [_na] query malformed, must start with start_object | {"a":{"filters":{"filters":{"a":7}}}}
parsing_exception parsing_exception | Unknown key for a VALUE_NUMBER in [a]: [filters]. | {"a":{"filters":{"filters":7}}}
parsing_exception parsing_exception | Unknown key for a VALUE_STRING in [a]: [other_bucket]. | {"a":{"filters":{"filters":{"a":{"match_all":{}}},"other_bucket":"true"}}}
parsing_exception parsing_exception | Unknown key for a VALUE_NUMBER in [a]: [other_bucket_key]. | {"a":{"filters":{"filters":{"a":{"match_all":{}}},"other_bucket_key":7}}}
parsing_exception parsing_exception | Expected [FIELD_NAME] under a [START_OBJECT], but got a [VALUE_NUMBER] in [a] | {"a":{"global":{"x":1}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER in [a]. | {"a":{"nested":{"x":1}}}
parsing_exception parsing_exception | Missing [path] field for nested aggregation [a] | {"a":{"nested":{}}}
search_phase_execution_exception aggregation_execution_exception | [nested] nested path [poster] is not nested | {"a":{"nested":{"path":"poster"}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER in [r]. | {"a":{"nested":{"path":"parts"},"aggs":{"r":{"reverse_nested":{"path":7}}}}}
parsing_exception parsing_exception | Unsupported property "shard_size" for aggregation "a | {"a":{"sampler":{"shard_size":"3"},"aggs":{"a":{"max":{"field":"n"}}}}}
x_content_parse_exception x_content_parse_exception | [diversified_sampler] failed to parse field [shard_size] | {"a":{"diversified_sampler":{"field":"tag","shard_size":-1},"aggs":{"a":{"max":{"field":"n"}}}}}
search_phase_execution_exception illegal_argument_exception | Unknown ´execution_hint´: [x], expected any of [map, bytes_hash, global_ordinals] | {"a":{"diversified_sampler":{"field":"tag","execution_hint":"x"},"aggs":{"a":{"max":{"field":"n"}}}}}
parsing_exception parsing_exception | Expected [START_OBJECT] under [max], but got a [VALUE_NUMBER] in [a] | {"a":{"max":7}}
parsing_exception parsing_exception | Expected [START_OBJECT] under [meta], but got a [VALUE_NUMBER] in [a] | {"a":{"max":{"field":"n"},"meta":7}}
parsing_exception parsing_exception | Expected [START_OBJECT] under [aggs], but got a [VALUE_NUMBER] in [a] | {"a":{"max":{"field":"n"},"aggs":7}}
parsing_exception parsing_exception | Found two aggregation type definitions in [a]: [max] and [min] | {"a":{"max":{"field":"n"},"min":{"field":"n"}}}
parsing_exception parsing_exception | Aggregation definition for [a starts with a [VALUE_NUMBER], expected a [START_OBJECT]. | {"a":7}
x_content_parse_exception x_content_parse_exception | [max] field doesn't support values of type: VALUE_NUMBER | {"a":{"terms":{"field":"tag"},"aggs":{"b":{"max":{"field":7}},"c":{"nobody":{}}}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER in [p]. | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"derivative":{"buckets_path":7}}}}}
parsing_exception parsing_exception | Invalid gap policy: [SKIP], accepted values: [insert_zeros, skip] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"derivative":{"buckets_path":"s","gap_policy":"SKIP"}}}}}
parsing_exception parsing_exception | Unknown key for a VALUE_STRING in [p]: [lag]. | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"serial_diff":{"buckets_path":"s","lag":"3"}}}}}
parsing_exception parsing_exception | [window] value must be a positive, non-zero integer.  Value supplied was [null] in [p]. | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"moving_avg":{"buckets_path":"s","window":0}}}}}
parsing_exception parsing_exception | [predict] value must be a positive integer.  Value supplied was [0] in [p]. | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"moving_avg":{"buckets_path":"s","predict":0}}}}}
x_content_parse_exception x_content_parse_exception | [cumulative_sum] buckets_path doesn't support values of type: VALUE_NUMBER | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"cumulative_sum":{"buckets_path":7}}}}}
x_content_parse_exception x_content_parse_exception | [cumulative_sum] unknown field [gap_policy] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"cumulative_sum":{"buckets_path":"s","gap_policy":"skip"}}}}}
x_content_parse_exception x_content_parse_exception | [moving_fn] buckets_path doesn't support values of type: START_ARRAY | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"moving_fn":{"buckets_path":["s"],"window":1,"script":"1"}}}}}
illegal_argument_exception illegal_argument_exception | Required [buckets_path, script, window] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"moving_fn":{}}}}}
illegal_argument_exception illegal_argument_exception | Required [buckets_path, script] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"bucket_script":{}}}}}
x_content_parse_exception x_content_parse_exception | [bucket_script] buckets_path doesn't support values of type: VALUE_NUMBER | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"bucket_script":{"buckets_path":7,"script":"1"}}}}}
x_content_parse_exception parsing_exception | Invalid gap policy: [x], accepted values: [insert_zeros, skip] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"bucket_script":{"buckets_path":{"a":"s"},"script":"1","gap_policy":"x"}}}}}
parsing_exception parsing_exception | Missing required field [buckets_path] for bucket_selector aggregation [p] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"bucket_selector":{"script":"1"}}}}}
x_content_parse_exception x_content_parse_exception | [bucket_sort] failed to parse field [from] | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}},"p":{"bucket_sort":{"from":"x"}}}}}
action_request_validation_exception action_request_validation_exception | Validation Failed: 1: No aggregation found for path [q.99.0]; | {"a":{"histogram":{"field":"n","interval":1},"aggs":{"q":{"percentiles":{"field":"n"}},"p":{"derivative":{"buckets_path":"q.99.0"}}}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER [format] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"avg_bucket":{"buckets_path":"h>s","format":7}}}
parsing_exception parsing_exception | Invalid gap policy: [SKIP], accepted values: [insert_zeros, skip] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"avg_bucket":{"buckets_path":"h>s","gap_policy":"SKIP"}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER [buckets_path] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"avg_bucket":{"buckets_path":7}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER [wrong] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"avg_bucket":{"buckets_path":"h>s","wrong":1}}}
parsing_exception parsing_exception | Unexpected token VALUE_STRING [sigma] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"extended_stats_bucket":{"buckets_path":"h>s","sigma":"3"}}}
parsing_exception parsing_exception | Unexpected token VALUE_NUMBER [percents] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"percentiles_bucket":{"buckets_path":"h>s","percents":50}}}
parsing_exception parsing_exception | Unexpected token VALUE_STRING [keyed] in [p] | {"h":{"histogram":{"field":"n","interval":1},"aggs":{"s":{"max":{"field":"n"}}}},"p":{"percentiles_bucket":{"buckets_path":"h>s","keyed":"true"}}}
`;

test('the first mistake in an aggregation is told by type and words, whatever stands around it', () =>
  checkRefusals('t', REFUSED, (aggs) => ({ size: 0, aggs })));
