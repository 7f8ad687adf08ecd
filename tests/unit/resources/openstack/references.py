"""What the published API references say of requests, by type.

It is written after the references, not after the data of the types, so that a
test finds where they differ.
"""

import dataclasses
import typing


@dataclasses.dataclass(frozen=True)
class Reference:
    """The requests of one collection.

    :ivar path: of the collection, below the endpoint of the service
    :ivar wrapper: around the body of a creation; empty for nothing
    :ivar required: keys that a creation has
    :ivar optional: further keys that it may have
    :ivar changeable: keys that a change may have
    :ivar change: its method; ``PATCH`` is a JSON patch
    :ivar is_plain: it has no JSON patch, whatever its method
    """

    path: str
    wrapper: str
    required: frozenset[str]
    optional: frozenset[str]
    changeable: frozenset[str]
    change: str = "PUT"
    is_plain: bool = False


def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _of(
    path: str,
    wrapper: str,
    required: str,
    optional: str = "",
    changeable: str = "",
    change: str = "PUT",
) -> Reference:
    return Reference(
        path,
        wrapper,
        _keys(required),
        _keys(optional),
        _keys(changeable),
        change,
    )


_NAMED: typing.Final = "name description"

REFERENCES: typing.Final = {
    # https://docs.openstack.org/api-ref/network/v2/#vpnaas-2-0-vpn-vpnservices
    "OS::Neutron::VPNService": _of(
        "/vpn/vpnservices",
        "vpnservice",
        "router_id",
        f"{_NAMED} subnet_id admin_state_up flavor_id project_id",
        f"{_NAMED} subnet_id admin_state_up",
    ),
    "OS::Neutron::IKEPolicy": _of(
        "/vpn/ikepolicies",
        "ikepolicy",
        "name",
        "description auth_algorithm encryption_algorithm ike_version lifetime"
        " pfs phase1_negotiation_mode project_id",
        f"{_NAMED} auth_algorithm encryption_algorithm ike_version lifetime"
        " pfs phase1_negotiation_mode",
    ),
    "OS::Neutron::IPsecPolicy": _of(
        "/vpn/ipsecpolicies",
        "ipsecpolicy",
        "name",
        "description auth_algorithm encapsulation_mode encryption_algorithm"
        " lifetime pfs transform_protocol project_id",
        f"{_NAMED} auth_algorithm encapsulation_mode encryption_algorithm"
        " lifetime pfs transform_protocol",
    ),
    "OS::Neutron::IPsecSiteConnection": _of(
        "/vpn/ipsec-site-connections",
        "ipsec_site_connection",
        "ikepolicy_id ipsecpolicy_id vpnservice_id peer_address peer_id psk",
        f"{_NAMED} peer_cidrs admin_state_up dpd initiator mtu project_id"
        " local_ep_group_id peer_ep_group_id local_id",
        f"{_NAMED} admin_state_up dpd initiator mtu peer_address peer_cidrs"
        " peer_id psk",
    ),
    # https://docs.openstack.org/networking-sfc/latest/contributor/api.html
    "OS::Neutron::PortPair": _of(
        "/sfc/port_pairs",
        "port_pair",
        "ingress egress",
        f"{_NAMED} service_function_parameters project_id",
        _NAMED,
    ),
    "OS::Neutron::PortPairGroup": _of(
        "/sfc/port_pair_groups",
        "port_pair_group",
        "port_pairs",
        f"{_NAMED} port_pair_group_parameters tap_enabled project_id",
        f"{_NAMED} port_pairs",
    ),
    "OS::Neutron::FlowClassifier": _of(
        "/sfc/flow_classifiers",
        "flow_classifier",
        "",
        f"{_NAMED} ethertype protocol source_port_range_min"
        " source_port_range_max destination_port_range_min"
        " destination_port_range_max source_ip_prefix destination_ip_prefix"
        " logical_source_port logical_destination_port l7_parameters"
        " project_id",
        _NAMED,
    ),
    "OS::Neutron::PortChain": _of(
        "/sfc/port_chains",
        "port_chain",
        "port_pair_groups",
        f"{_NAMED} flow_classifiers chain_parameters chain_id project_id",
        f"{_NAMED} flow_classifiers port_pair_groups",
    ),
    # https://docs.openstack.org/api-ref/network/v2/#l2-gateway
    "OS::Neutron::L2Gateway": _of(
        "/l2-gateways", "l2_gateway", "name devices", "", "name devices"
    ),
    "OS::Neutron::L2GatewayConnection": _of(
        "/l2-gateway-connections",
        "l2_gateway_connection",
        "l2_gateway_id network_id",
        "segmentation_id",
    ),
    # https://docs.openstack.org/api-ref/network/v2/#tap-as-a-service
    "OS::Neutron::TaaS::TapService": _of(
        "/taas/tap_services",
        "tap_service",
        "port_id",
        f"{_NAMED} project_id",
        _NAMED,
    ),
    "OS::Neutron::TaaS::TapFlow": _of(
        "/taas/tap_flows",
        "tap_flow",
        "source_port tap_service_id direction",
        f"{_NAMED} vlan_filter project_id",
        _NAMED,
    ),
    # https://docs.openstack.org/api-ref/container-infrastructure-management/
    "OS::Magnum::Cluster": _of(
        "/clusters",
        "",
        "cluster_template_id",
        "name create_timeout discovery_url keypair master_count node_count"
        " docker_volume_size labels flavor_id master_flavor_id",
        "create_timeout discovery_url master_count node_count",
        "PATCH",
    ),
    "OS::Magnum::ClusterTemplate": _of(
        "/clustertemplates",
        "",
        "coe image_id external_network_id",
        "name apiserver_port dns_nameserver docker_storage_driver"
        " docker_volume_size fixed_network fixed_subnet flavor_id"
        " floating_ip_enabled http_proxy https_proxy insecure_registry"
        " keypair_id labels master_flavor_id master_lb_enabled network_driver"
        " no_proxy public registry_enabled server_type tls_disabled"
        " volume_driver hidden tags driver",
        "public name",
        "PATCH",
    ),
    # https://docs.openstack.org/api-ref/application-container/
    "OS::Zun::Container": dataclasses.replace(
        _of(
            "/containers",
            "",
            "image",
            "name command cpu memory workdir labels environment restart_policy"
            " interactive tty image_driver security_groups nets runtime"
            " hostname auto_remove auto_heal availability_zone hints mounts"
            " privileged healthcheck exposed_ports host image_pull_policy",
            "name cpu memory",
            "PATCH",
        ),
        is_plain=True,
    ),
    # https://docs.openstack.org/api-ref/shared-file-system/
    "OS::Manila::SecurityService": _of(
        "/security-services",
        "security_service",
        "type",
        f"{_NAMED} dns_ip user password domain server ou default_ad_site",
        f"{_NAMED} dns_ip user password domain server ou default_ad_site",
    ),
    "OS::Manila::ShareNetwork": _of(
        "/share-networks",
        "share_network",
        "",
        f"{_NAMED} neutron_net_id neutron_subnet_id availability_zone",
        f"{_NAMED} neutron_net_id neutron_subnet_id",
    ),
    "OS::Manila::Share": _of(
        "/shares",
        "share",
        "share_proto size",
        f"{_NAMED} display_name display_description share_type snapshot_id"
        " is_public metadata share_network_id availability_zone",
        "display_name display_description is_public",
    ),
    "OS::Manila::ShareType": _of(
        "/types",
        "share_type",
        "name extra_specs",
        "share_type_access:is_public description",
    ),
    # https://docs.openstack.org/api-ref/reservation/v1/
    # A host has capabilities of any name.
    "OS::Blazar::Host": _of("/os-hosts", "", "name", "a"),
    "OS::Blazar::Lease": _of(
        "/leases",
        "",
        "name start_date end_date reservations",
        "before_end_date events",
    ),
    # https://docs.openstack.org/api-ref/baremetal/
    "OS::Ironic::Port": _of(
        "/ports",
        "",
        "node_uuid address",
        "portgroup_uuid local_link_connection pxe_enabled physical_network"
        " extra is_smartnic uuid",
        "node_uuid address portgroup_uuid local_link_connection pxe_enabled"
        " physical_network extra is_smartnic",
        "PATCH",
    ),
}
