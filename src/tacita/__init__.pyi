# Derived from the registry of methods; written by `make generate`.

from tacita.api.converting import Conversion as Conversion
from tacita.api.converting import convert as convert
from tacita.api.copies import Copies as Copies
from tacita.api.copies import synthesize as synthesize
from tacita.api.database import Database as Database
from tacita.api.database import guard as guard
from tacita.api.experiment import experiment as experiment
from tacita.api.hierarchies import hierarchy_from as hierarchy_from
from tacita.api.keyed_text import read_keyed_text as read_keyed_text
from tacita.api.keyed_text import write_keyed_text as write_keyed_text
from tacita.api.microdata import Microdata as Microdata
from tacita.api.microdata import disclosure_risk as disclosure_risk
from tacita.api.microdata import example as example
from tacita.api.microdata import information_loss as information_loss
from tacita.api.microdata import pair as pair
from tacita.api.microdata import read as read
from tacita.api.remote import connect as connect
from tacita.api.run import run as run
from tacita.api.run import verify as verify
from tacita.api.scan import Scan as Scan
from tacita.api.scan import scan as scan
from tacita.api.table import LinkedTables as LinkedTables
from tacita.api.table import Table as Table
from tacita.api.table import link as link
from tacita.api.table import read_table as read_table
from tacita.api.table import tabulate as tabulate
from tacita.attacks.attribute_inference import AttributeInference as AttributeInference
from tacita.attacks.clues.guess import Guesses as Guesses
from tacita.attacks.guessing import guess_methods as guess_methods
from tacita.attacks.membership_inference import MembershipInference as MembershipInference
from tacita.attacks.minimality import Minimality as Minimality
from tacita.attacks.noise_filtering import NoiseFiltering as NoiseFiltering
from tacita.attacks.order_linkage import OrderLinkage as OrderLinkage
from tacita.attacks.pram_inversion import PramInversion as PramInversion
from tacita.attacks.queries.averaging import Averaging as Averaging
from tacita.attacks.queries.budget_race import BudgetRace as BudgetRace
from tacita.attacks.queries.count_binary_search import CountBinarySearch as CountBinarySearch
from tacita.attacks.queries.deep_differencing import DeepDifferencing as DeepDifferencing
from tacita.attacks.queries.double_tracker import DoubleTracker as DoubleTracker
from tacita.attacks.queries.equivalent_rewrites import EquivalentRewrites as EquivalentRewrites
from tacita.attacks.queries.extremes_walking import ExtremesWalking as ExtremesWalking
from tacita.attacks.queries.floating_point import FloatingPoint as FloatingPoint
from tacita.attacks.queries.general_tracker import GeneralTracker as GeneralTracker
from tacita.attacks.queries.group_membership import GroupMembership as GroupMembership
from tacita.attacks.queries.individual_tracker import IndividualTracker as IndividualTracker
from tacita.attacks.queries.injection import Injection as Injection
from tacita.attacks.queries.leverage import Leverage as Leverage
from tacita.attacks.queries.linear_reconstruction import LinearReconstruction as LinearReconstruction
from tacita.attacks.queries.noise_exploitation import NoiseExploitation as NoiseExploitation
from tacita.attacks.queries.padding import Padding as Padding
from tacita.attacks.queries.pairwise_differencing import PairwiseDifferencing as PairwiseDifferencing
from tacita.attacks.queries.price_oracle import PriceOracle as PriceOracle
from tacita.attacks.queries.query_membership import QueryMembership as QueryMembership
from tacita.attacks.queries.races import Races as Races
from tacita.attacks.queries.refusal_probing import RefusalProbing as RefusalProbing
from tacita.attacks.queries.sybil_accounts import SybilAccounts as SybilAccounts
from tacita.attacks.queries.union_tracker import UnionTracker as UnionTracker
from tacita.attacks.rank_swap_intersection import RankSwapIntersection as RankSwapIntersection
from tacita.attacks.rounding_reconstruction import RoundingReconstruction as RoundingReconstruction
from tacita.attacks.several_releases import SeveralReleases as SeveralReleases
from tacita.attacks.suppression_reconstruction import SuppressionReconstruction as SuppressionReconstruction
from tacita.attacks.tables.differencing_attack import DifferencingAttack as DifferencingAttack
from tacita.attacks.tables.dominance_attack import DominanceAttack as DominanceAttack
from tacita.attacks.tables.external_attack import ExternalAttack as ExternalAttack
from tacita.attacks.tables.internal_attack import InternalAttack as InternalAttack
from tacita.attacks.tables.membership_attack import MembershipAttack as MembershipAttack
from tacita.attacks.tables.reconstruction_attack import ReconstructionAttack as ReconstructionAttack
from tacita.attacks.tables.small_count_posterior import SmallCountPosterior as SmallCountPosterior
from tacita.attacks.tables.subtraction_attack import SubtractionAttack as SubtractionAttack
from tacita.attacks.unmicroaggregation import Unmicroaggregation as Unmicroaggregation
from tacita.data.attribute import Attribute as Attribute
from tacita.data.attribute import Kind as Kind
from tacita.data.attribute import Role as Role
from tacita.data.classes import EquivalenceClasses as EquivalenceClasses
from tacita.data.dataset import Dataset as Dataset
from tacita.data.formats.reading_report import ReadingReport as ReadingReport
from tacita.data.formats.reading_report import reading_report as reading_report
from tacita.data.hierarchies.files import read_hierarchy as read_hierarchy
from tacita.data.hierarchies.files import write_hierarchy as write_hierarchy
from tacita.data.hierarchies.ontologies import read_ontology as read_ontology
from tacita.data.hierarchies.ontology import Ontology as Ontology
from tacita.errors import TacitaError as TacitaError
from tacita import errors as errors
from tacita.inspection import Inspection as Inspection
from tacita.inspection import inspect as inspect
from tacita.intruders.accuracy import Accuracy as Accuracy
from tacita.intruders.intruder import Intruder as Intruder
from tacita.intruders.library import scenario as scenario
from tacita.intruders.library import scenarios as scenarios
from tacita.intruders.scenario import Scenario as Scenario
from tacita.mechanisms.sensitivity.dominance import Dominance as Dominance
from tacita.mechanisms.sensitivity.group_disclosure import GroupDisclosure as GroupDisclosure
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency as MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent as PPercent
from tacita.mechanisms.sensitivity.pq import Pq as Pq
from tacita.mechanisms.sensitivity.request_rule import RequestRule as RequestRule
from tacita.mechanisms.sensitivity.zero_rule import ZeroRule as ZeroRule
from tacita.microdata.anonymize.anatomy import Anatomy as Anatomy
from tacita.microdata.anonymize.apriori_generalization import AprioriGeneralization as AprioriGeneralization
from tacita.microdata.anonymize.close_clusters import CloseClusters as CloseClusters
from tacita.microdata.anonymize.datafly import Datafly as Datafly
from tacita.microdata.anonymize.lattice import Lattice as Lattice
from tacita.microdata.anonymize.local_recoding import LocalRecoding as LocalRecoding
from tacita.microdata.anonymize.microaggregation import Microaggregation as Microaggregation
from tacita.microdata.anonymize.mondrian import Mondrian as Mondrian
from tacita.microdata.anonymize.private_microaggregation import PrivateMicroaggregation as PrivateMicroaggregation
from tacita.microdata.anonymize.sorted_clusters import SortedClusters as SortedClusters
from tacita.microdata.anonymize.t_close_microaggregation import TCloseMicroaggregation as TCloseMicroaggregation
from tacita.microdata.comparing.semantic_statistics import semantic_covariance as semantic_covariance
from tacita.microdata.comparing.semantic_statistics import semantic_mean as semantic_mean
from tacita.microdata.comparing.semantic_statistics import semantic_variance as semantic_variance
from tacita.microdata.masking.add_noise import AddNoise as AddNoise
from tacita.microdata.masking.blank_and_impute import BlankAndImpute as BlankAndImpute
from tacita.microdata.masking.bounded_noise import BoundedNoise as BoundedNoise
from tacita.microdata.masking.coarsen import Coarsen as Coarsen
from tacita.microdata.masking.coarsen_places import CoarsenPlaces as CoarsenPlaces
from tacita.microdata.masking.code_outliers import CodeOutliers as CodeOutliers
from tacita.microdata.masking.compress import Compress as Compress
from tacita.microdata.masking.displace_places import DisplacePlaces as DisplacePlaces
from tacita.microdata.masking.drop import Drop as Drop
from tacita.microdata.masking.ezs_noise import EzsNoise as EzsNoise
from tacita.microdata.masking.generalize import Generalize as Generalize
from tacita.microdata.masking.kim_noise import KimNoise as KimNoise
from tacita.microdata.masking.local_suppression import LocalSuppression as LocalSuppression
from tacita.microdata.masking.mask_uniques import MaskUniques as MaskUniques
from tacita.microdata.masking.massc import Massc as Massc
from tacita.microdata.masking.microaggregate import Microaggregate as Microaggregate
from tacita.microdata.masking.multiply_noise import MultiplyNoise as MultiplyNoise
from tacita.microdata.masking.noise_outliers import NoiseOutliers as NoiseOutliers
from tacita.microdata.masking.pram import Pram as Pram
from tacita.microdata.masking.pseudonymize import Pseudonymize as Pseudonymize
from tacita.microdata.masking.randomized_response import RandomizedResponse as RandomizedResponse
from tacita.microdata.masking.randomizing.estimating import estimated_frequencies as estimated_frequencies
from tacita.microdata.masking.rank_swap import RankSwap as RankSwap
from tacita.microdata.masking.recode import Recode as Recode
from tacita.microdata.masking.regenerate import Regenerate as Regenerate
from tacita.microdata.masking.regression_shrinkage import RegressionShrinkage as RegressionShrinkage
from tacita.microdata.masking.resample import Resample as Resample
from tacita.microdata.masking.romm import Romm as Romm
from tacita.microdata.masking.round_records import RoundRecords as RoundRecords
from tacita.microdata.masking.round_values import RoundValues as RoundValues
from tacita.microdata.masking.safe_harbor_zip import SafeHarborZip as SafeHarborZip
from tacita.microdata.masking.sample import Sample as Sample
from tacita.microdata.masking.semantic_noise import SemanticNoise as SemanticNoise
from tacita.microdata.masking.semantic_resample import SemanticResample as SemanticResample
from tacita.microdata.masking.shift_dates import ShiftDates as ShiftDates
from tacita.microdata.masking.shuffle import Shuffle as Shuffle
from tacita.microdata.masking.shuffle_records import ShuffleRecords as ShuffleRecords
from tacita.microdata.masking.sullivan_noise import SullivanNoise as SullivanNoise
from tacita.microdata.masking.swap_blocks import SwapBlocks as SwapBlocks
from tacita.microdata.masking.swap_data import SwapData as SwapData
from tacita.microdata.masking.swap_records import SwapRecords as SwapRecords
from tacita.microdata.masking.top_bottom import BottomCode as BottomCode
from tacita.microdata.masking.top_bottom import TopBottomCode as TopBottomCode
from tacita.microdata.masking.top_bottom import TopCode as TopCode
from tacita.microdata.models.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
from tacita.microdata.models.alpha_protection import AlphaProtection as AlphaProtection
from tacita.microdata.models.average_risk import AverageRisk as AverageRisk
from tacita.microdata.models.beta_likeness import BetaLikeness as BetaLikeness
from tacita.microdata.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
from tacita.microdata.models.delta_presence import DeltaPresence as DeltaPresence
from tacita.microdata.models.differential_privacy import DifferentialPrivacy as DifferentialPrivacy
from tacita.microdata.models.k_anonymity import KAnonymity as KAnonymity
from tacita.microdata.models.k_map import KMap as KMap
from tacita.microdata.models.km_anonymity import KmAnonymity as KmAnonymity
from tacita.microdata.models.l_diversity import LDiversity as LDiversity
from tacita.microdata.models.limited_population_uniques import LimitedPopulationUniques as LimitedPopulationUniques
from tacita.microdata.models.limited_sample_uniques import LimitedSampleUniques as LimitedSampleUniques
from tacita.microdata.models.p_sensitive_k_anonymity import PSensitiveKAnonymity as PSensitiveKAnonymity
from tacita.microdata.models.t_closeness import TCloseness as TCloseness
from tacita.microdata.risk.attribute_disclosure import AttributeDisclosure as AttributeDisclosure
from tacita.microdata.risk.closest_records import ClosestRecords as ClosestRecords
from tacita.microdata.risk.cluster_linkage import ClusterLinkage as ClusterLinkage
from tacita.microdata.risk.dankar_uniqueness import DankarUniqueness as DankarUniqueness
from tacita.microdata.risk.distance_linkage import DistanceLinkage as DistanceLinkage
from tacita.microdata.risk.diversity import Diversity as Diversity
from tacita.microdata.risk.exact_linkage import ExactLinkage as ExactLinkage
from tacita.microdata.risk.fitting_uniqueness import FittingUniqueness as FittingUniqueness
from tacita.microdata.risk.household_risk import HouseholdRisk as HouseholdRisk
from tacita.microdata.risk.individual_risk import IndividualRisk as IndividualRisk
from tacita.microdata.risk.inferential_disclosure import InferentialDisclosure as InferentialDisclosure
from tacita.microdata.risk.interval_disclosure import IntervalDisclosure as IntervalDisclosure
from tacita.microdata.risk.journalist_risk import JournalistRisk as JournalistRisk
from tacita.microdata.risk.log_linear_risk import LogLinearRisk as LogLinearRisk
from tacita.microdata.risk.marketer_risk import MarketerRisk as MarketerRisk
from tacita.microdata.risk.minimum_unsafe_combination import MinimumUnsafeCombination as MinimumUnsafeCombination
from tacita.microdata.risk.pitman_uniqueness import PitmanUniqueness as PitmanUniqueness
from tacita.microdata.risk.population_uniqueness import PopulationUniqueness as PopulationUniqueness
from tacita.microdata.risk.probabilistic_linkage import ProbabilisticLinkage as ProbabilisticLinkage
from tacita.microdata.risk.prosecutor_risk import ProsecutorRisk as ProsecutorRisk
from tacita.microdata.risk.rank_linkage import RankLinkage as RankLinkage
from tacita.microdata.risk.rmd_disclosure import RmdDisclosure as RmdDisclosure
from tacita.microdata.risk.snb_uniqueness import SnbUniqueness as SnbUniqueness
from tacita.microdata.risk.suda2 import Suda2 as Suda2
from tacita.microdata.risk.threshold_rule import ThresholdRule as ThresholdRule
from tacita.microdata.risk.unicity import Unicity as Unicity
from tacita.microdata.risk.uniqueness import Uniqueness as Uniqueness
from tacita.microdata.risk.zayatz_uniqueness import ZayatzUniqueness as ZayatzUniqueness
from tacita.microdata.synthesis.bayesian_network import BayesianNetwork as BayesianNetwork
from tacita.microdata.synthesis.bootstrap import Bootstrap as Bootstrap
from tacita.microdata.synthesis.cholesky import Cholesky as Cholesky
from tacita.microdata.synthesis.gaussian_copula import GaussianCopula as GaussianCopula
from tacita.microdata.synthesis.hybrid import Hybrid as Hybrid
from tacita.microdata.synthesis.inference.analyses import Estimates as Estimates
from tacita.microdata.synthesis.inference.combining import Combined as Combined
from tacita.microdata.synthesis.inference.combining import combine as combine
from tacita.microdata.synthesis.ipso import Ipso as Ipso
from tacita.microdata.synthesis.latin_hypercube import LatinHypercube as LatinHypercube
from tacita.microdata.synthesis.maximum_entropy import MaximumEntropy as MaximumEntropy
from tacita.microdata.synthesis.microhybrid import Microhybrid as Microhybrid
from tacita.microdata.synthesis.multiple_imputation import MultipleImputation as MultipleImputation
from tacita.microdata.synthesis.partial_imputation import PartialImputation as PartialImputation
from tacita.microdata.synthesis.private_histogram import PrivateHistogram as PrivateHistogram
from tacita.microdata.synthesis.private_marginals import PrivateMarginals as PrivateMarginals
from tacita.microdata.synthesis.sequential_trees import SequentialTrees as SequentialTrees
from tacita.microdata.synthesis.smike import Smike as Smike
from tacita.microdata.utility.analytical_validity import AnalyticalValidity as AnalyticalValidity
from tacita.microdata.utility.association_rules import AssociationRules as AssociationRules
from tacita.microdata.utility.average_class_size import AverageClassSize as AverageClassSize
from tacita.microdata.utility.classification_accuracy import ClassificationAccuracy as ClassificationAccuracy
from tacita.microdata.utility.contingency_tables import ContingencyTables as ContingencyTables
from tacita.microdata.utility.direct_comparison import DirectComparison as DirectComparison
from tacita.microdata.utility.direct_discrimination import DirectDiscrimination as DirectDiscrimination
from tacita.microdata.utility.discernibility import Discernibility as Discernibility
from tacita.microdata.utility.eigenvalues import Eigenvalues as Eigenvalues
from tacita.microdata.utility.entropy_loss import EntropyLoss as EntropyLoss
from tacita.microdata.utility.factors import Communalities as Communalities
from tacita.microdata.utility.factors import FactorCorrelations as FactorCorrelations
from tacita.microdata.utility.factors import FactorScores as FactorScores
from tacita.microdata.utility.generalization_loss import GeneralizationLoss as GeneralizationLoss
from tacita.microdata.utility.granularity import Granularity as Granularity
from tacita.microdata.utility.hellinger import Hellinger as Hellinger
from tacita.microdata.utility.il1s import IL1s as IL1s
from tacita.microdata.utility.indirect_discrimination import IndirectDiscrimination as IndirectDiscrimination
from tacita.microdata.utility.kolmogorov_smirnov import KolmogorovSmirnov as KolmogorovSmirnov
from tacita.microdata.utility.mean_information_loss import MeanInformationLoss as MeanInformationLoss
from tacita.microdata.utility.modification import Modification as Modification
from tacita.microdata.utility.moments import Correlations as Correlations
from tacita.microdata.utility.moments import Covariances as Covariances
from tacita.microdata.utility.moments import Means as Means
from tacita.microdata.utility.moments import Variances as Variances
from tacita.microdata.utility.non_uniform_entropy import NonUniformEntropy as NonUniformEntropy
from tacita.microdata.utility.precision_loss import PrecisionLoss as PrecisionLoss
from tacita.microdata.utility.probabilistic_information_loss import ProbabilisticInformationLoss as ProbabilisticInformationLoss
from tacita.microdata.utility.propensity import Propensity as Propensity
from tacita.microdata.utility.range_distance import RangeDistance as RangeDistance
from tacita.microdata.utility.regression_overlap import RegressionOverlap as RegressionOverlap
from tacita.microdata.utility.semantic_loss import SemanticLoss as SemanticLoss
from tacita.microdata.utility.suppression import Suppression as Suppression
from tacita.microdata.utility.total_variation import TotalVariation as TotalVariation
from tacita.microdata.utility.values import Values as Values
from tacita.queries.answer import Answer as Answer
from tacita.queries.policies.audit import Audit as Audit
from tacita.queries.policies.audit_extremes import AuditExtremes as AuditExtremes
from tacita.queries.policies.audit_intervals import AuditIntervals as AuditIntervals
from tacita.queries.policies.camouflage import Camouflage as Camouflage
from tacita.queries.policies.cell_key_noise import CellKeyNoise as CellKeyNoise
from tacita.queries.policies.private_answers import PrivateAnswers as PrivateAnswers
from tacita.queries.policies.query_set_overlap import QuerySetOverlap as QuerySetOverlap
from tacita.queries.policies.query_set_size import QuerySetSize as QuerySetSize
from tacita.queries.policies.random_sample import RandomSample as RandomSample
from tacita.queries.policies.record_set_noise import RecordSetNoise as RecordSetNoise
from tacita.queries.policies.rounded_answers import RoundedAnswers as RoundedAnswers
from tacita.queries.policies.sensitive_cells import SensitiveCells as SensitiveCells
from tacita.queries.policies.unprotected import Unprotected as Unprotected
from tacita.registry import methods as methods
from tacita.release.comparing.risk_utility_map import RiskUtilityMap as RiskUtilityMap
from tacita.release.comparing.risk_utility_map import risk_utility_map as risk_utility_map
from tacita.release.comparing.score import CustomScore as CustomScore
from tacita.release.comparing.score import Score as Score
from tacita.release.comparing.score import score as score
from tacita.release.comparing.score_card import ScoreCard as ScoreCard
from tacita.release.plan import read_plan as read_plan
from tacita.release.table_comparison import TableComparison as TableComparison
from tacita.tables.apriori import Given as Given
from tacita.tables.audit.audit import TableAudit as TableAudit
from tacita.tables.audit.audit import audit as audit
from tacita.tables.dimension import Dimension as Dimension
from tacita.tables.perturb.cell_key_counts import CellKeyCounts as CellKeyCounts
from tacita.tables.perturb.cell_key_magnitudes import CellKeyMagnitudes as CellKeyMagnitudes
from tacita.tables.perturb.controlled_adjustment import ControlledAdjustment as ControlledAdjustment
from tacita.tables.perturb.controlled_random_rounding import ControlledRandomRounding as ControlledRandomRounding
from tacita.tables.perturb.controlled_rounding import ControlledRounding as ControlledRounding
from tacita.tables.perturb.conventional_rounding import ConventionalRounding as ConventionalRounding
from tacita.tables.perturb.interval_publication import IntervalPublication as IntervalPublication
from tacita.tables.perturb.private_noise import PrivateNoise as PrivateNoise
from tacita.tables.perturb.random_rounding import RandomRounding as RandomRounding
from tacita.tables.protect.fast_suppression import FastSuppression as FastSuppression
from tacita.tables.protect.hypercube_suppression import HypercubeSuppression as HypercubeSuppression
from tacita.tables.protect.modular_suppression import ModularSuppression as ModularSuppression
from tacita.tables.protect.network_suppression import NetworkSuppression as NetworkSuppression
from tacita.tables.protect.optimal_suppression import OptimalSuppression as OptimalSuppression
from tacita.tables.risk.exact_disclosure import ExactDisclosure as ExactDisclosure
from tacita.tables.risk.interval_widths import IntervalWidths as IntervalWidths
from tacita.tables.risk.protection_shortfall import ProtectionShortfall as ProtectionShortfall
from tacita.tables.risk.rederivable_cells import RederivableCells as RederivableCells
from tacita.tables.risk.sensitive_published import SensitivePublished as SensitivePublished
from tacita.tables.risk.unmoved_sensitive import UnmovedSensitive as UnmovedSensitive
from tacita.tables.status import Status as Status
from tacita.tables.utility.additivity import Additivity as Additivity
from tacita.tables.utility.cell_distance import CellDistance as CellDistance
from tacita.tables.utility.hellinger_distance import HellingerDistance as HellingerDistance
from tacita.tables.utility.rank_changes import RankChanges as RankChanges
from tacita.tables.utility.relative_loss import RelativeLoss as RelativeLoss
from tacita.tables.utility.suppressed_cells import SuppressedCells as SuppressedCells
from tacita.tables.utility.suppressed_value import SuppressedValue as SuppressedValue
from tacita.tables.utility.suppression_cost import SuppressionCost as SuppressionCost
from tacita.tables.waivers import Waiver as Waiver
from tacita.tables.waivers import read_waivers as read_waivers
from tacita.tables.waiving.waive import waived as waived
from tacita.tables.waiving.waive import waived_cells as waived_cells
from tacita.threads import use_threads as use_threads
from tacita.tradeoff.advising import Advice as Advice
from tacita.tradeoff.advising import advise as advise
from tacita.tradeoff.advising import advising as advising
from tacita.tradeoff.post_masking import PostMasking as PostMasking

__all__ = [
    "Accuracy",
    "AddNoise",
    "Additivity",
    "Advice",
    "AlphaKAnonymity",
    "AlphaProtection",
    "AnalyticalValidity",
    "Anatomy",
    "Answer",
    "AprioriGeneralization",
    "AssociationRules",
    "Attribute",
    "AttributeDisclosure",
    "AttributeInference",
    "Audit",
    "AuditExtremes",
    "AuditIntervals",
    "AverageClassSize",
    "AverageRisk",
    "Averaging",
    "BayesianNetwork",
    "BetaLikeness",
    "BlankAndImpute",
    "Bootstrap",
    "BottomCode",
    "BoundedNoise",
    "BudgetRace",
    "Camouflage",
    "CellDistance",
    "CellKeyCounts",
    "CellKeyMagnitudes",
    "CellKeyNoise",
    "Cholesky",
    "ClassificationAccuracy",
    "CloseClusters",
    "ClosestRecords",
    "ClusterLinkage",
    "Coarsen",
    "CoarsenPlaces",
    "CodeOutliers",
    "Combined",
    "Communalities",
    "Compress",
    "ContingencyTables",
    "ControlledAdjustment",
    "ControlledRandomRounding",
    "ControlledRounding",
    "ConventionalRounding",
    "Conversion",
    "Copies",
    "Correlations",
    "CountBinarySearch",
    "Covariances",
    "CustomScore",
    "DankarUniqueness",
    "Database",
    "Datafly",
    "Dataset",
    "DeepDifferencing",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferencingAttack",
    "DifferentialPrivacy",
    "Dimension",
    "DirectComparison",
    "DirectDiscrimination",
    "Discernibility",
    "DisplacePlaces",
    "DistanceLinkage",
    "Diversity",
    "Dominance",
    "DominanceAttack",
    "DoubleTracker",
    "Drop",
    "Eigenvalues",
    "EntropyLoss",
    "EquivalenceClasses",
    "EquivalentRewrites",
    "Estimates",
    "ExactDisclosure",
    "ExactLinkage",
    "ExternalAttack",
    "ExtremesWalking",
    "EzsNoise",
    "FactorCorrelations",
    "FactorScores",
    "FastSuppression",
    "FittingUniqueness",
    "FloatingPoint",
    "GaussianCopula",
    "GeneralTracker",
    "GeneralizationLoss",
    "Generalize",
    "Given",
    "Granularity",
    "GroupDisclosure",
    "GroupMembership",
    "Guesses",
    "Hellinger",
    "HellingerDistance",
    "HouseholdRisk",
    "Hybrid",
    "HypercubeSuppression",
    "IL1s",
    "IndirectDiscrimination",
    "IndividualRisk",
    "IndividualTracker",
    "InferentialDisclosure",
    "Injection",
    "Inspection",
    "InternalAttack",
    "IntervalDisclosure",
    "IntervalPublication",
    "IntervalWidths",
    "Intruder",
    "Ipso",
    "JournalistRisk",
    "KAnonymity",
    "KMap",
    "KimNoise",
    "Kind",
    "KmAnonymity",
    "KolmogorovSmirnov",
    "LDiversity",
    "LatinHypercube",
    "Lattice",
    "Leverage",
    "LimitedPopulationUniques",
    "LimitedSampleUniques",
    "LinearReconstruction",
    "LinkedTables",
    "LocalRecoding",
    "LocalSuppression",
    "LogLinearRisk",
    "MarketerRisk",
    "MaskUniques",
    "Massc",
    "MaximumEntropy",
    "MeanInformationLoss",
    "Means",
    "MembershipAttack",
    "MembershipInference",
    "Microaggregate",
    "Microaggregation",
    "Microdata",
    "Microhybrid",
    "Minimality",
    "MinimumFrequency",
    "MinimumUnsafeCombination",
    "Modification",
    "ModularSuppression",
    "Mondrian",
    "MultipleImputation",
    "MultiplyNoise",
    "NetworkSuppression",
    "NoiseExploitation",
    "NoiseFiltering",
    "NoiseOutliers",
    "NonUniformEntropy",
    "Ontology",
    "OptimalSuppression",
    "OrderLinkage",
    "PPercent",
    "PSensitiveKAnonymity",
    "Padding",
    "PairwiseDifferencing",
    "PartialImputation",
    "PitmanUniqueness",
    "PopulationUniqueness",
    "PostMasking",
    "Pq",
    "Pram",
    "PramInversion",
    "PrecisionLoss",
    "PriceOracle",
    "PrivateAnswers",
    "PrivateHistogram",
    "PrivateMarginals",
    "PrivateMicroaggregation",
    "PrivateNoise",
    "ProbabilisticInformationLoss",
    "ProbabilisticLinkage",
    "Propensity",
    "ProsecutorRisk",
    "ProtectionShortfall",
    "Pseudonymize",
    "QueryMembership",
    "QuerySetOverlap",
    "QuerySetSize",
    "Races",
    "RandomRounding",
    "RandomSample",
    "RandomizedResponse",
    "RangeDistance",
    "RankChanges",
    "RankLinkage",
    "RankSwap",
    "RankSwapIntersection",
    "ReadingReport",
    "Recode",
    "ReconstructionAttack",
    "RecordSetNoise",
    "RederivableCells",
    "RefusalProbing",
    "Regenerate",
    "RegressionOverlap",
    "RegressionShrinkage",
    "RelativeLoss",
    "RequestRule",
    "Resample",
    "RiskUtilityMap",
    "RmdDisclosure",
    "Role",
    "Romm",
    "RoundRecords",
    "RoundValues",
    "RoundedAnswers",
    "RoundingReconstruction",
    "SafeHarborZip",
    "Sample",
    "Scan",
    "Scenario",
    "Score",
    "ScoreCard",
    "SemanticLoss",
    "SemanticNoise",
    "SemanticResample",
    "SensitiveCells",
    "SensitivePublished",
    "SequentialTrees",
    "SeveralReleases",
    "ShiftDates",
    "Shuffle",
    "ShuffleRecords",
    "SmallCountPosterior",
    "Smike",
    "SnbUniqueness",
    "SortedClusters",
    "Status",
    "SubtractionAttack",
    "Suda2",
    "SullivanNoise",
    "SuppressedCells",
    "SuppressedValue",
    "Suppression",
    "SuppressionCost",
    "SuppressionReconstruction",
    "SwapBlocks",
    "SwapData",
    "SwapRecords",
    "SybilAccounts",
    "TCloseMicroaggregation",
    "TCloseness",
    "Table",
    "TableAudit",
    "TableComparison",
    "TacitaError",
    "ThresholdRule",
    "TopBottomCode",
    "TopCode",
    "TotalVariation",
    "Unicity",
    "UnionTracker",
    "Uniqueness",
    "Unmicroaggregation",
    "UnmovedSensitive",
    "Unprotected",
    "Values",
    "Variances",
    "Waiver",
    "ZayatzUniqueness",
    "ZeroRule",
    "advise",
    "advising",
    "audit",
    "combine",
    "connect",
    "convert",
    "disclosure_risk",
    "errors",
    "estimated_frequencies",
    "example",
    "experiment",
    "guard",
    "guess_methods",
    "hierarchy_from",
    "information_loss",
    "inspect",
    "link",
    "methods",
    "pair",
    "read",
    "read_hierarchy",
    "read_keyed_text",
    "read_ontology",
    "read_plan",
    "read_table",
    "read_waivers",
    "reading_report",
    "risk_utility_map",
    "run",
    "scan",
    "scenario",
    "scenarios",
    "score",
    "semantic_covariance",
    "semantic_mean",
    "semantic_variance",
    "synthesize",
    "tabulate",
    "use_threads",
    "verify",
    "waived",
    "waived_cells",
    "write_hierarchy",
    "write_keyed_text",
]
